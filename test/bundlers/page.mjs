// The entry in a browser: the answer becomes the title of the page.
import { decide } from './ten-lines.mjs'

decide().then((answer) => {
  document.title = answer
})
