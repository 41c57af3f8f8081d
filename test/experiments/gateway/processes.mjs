// Servers and proxies of the experiment, each in a process of its own that tells when it is ready.
import { fork } from 'node:child_process'

/** @param options  what the module beside this one reads as JSON */
export const startProcess = (file, options) => fork(new URL(`./${file}`, import.meta.url), [JSON.stringify(options)])

/** The next message of a process. */
export function messageOf(child) {
  return new Promise((resolve, reject) => {
    const fail = (code) => reject(new Error(`a process ended with ${code}`))
    child.once('exit', fail)
    child.once('message', (message) => {
      child.off('exit', fail)
      resolve(message)
    })
  })
}
