// The entry in a Worker.
import { decide } from './ten-lines.mjs'

export default {
  async test() {
    console.log(await decide())
  },
}
