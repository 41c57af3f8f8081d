// The probe's entry in workerd, bundled with the condition `workerd`: the core arrives as an imported module.
import { probe } from './probe.mjs'

export default {
  async test() {
    console.log(JSON.stringify(await probe()))
  },
}
