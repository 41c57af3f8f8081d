// The entry where there is a terminal.
import { decide } from './ten-lines.mjs'

decide().then(console.log)
