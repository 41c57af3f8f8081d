// The thread of a container that holds its lifeline (descriptor 3), so that nothing a function does can hold it up: an endless loop
// ends with its platform too, however that ends. On it goes what the process uses: `bytes of memory, µs of CPU` a line.
import { Socket } from 'node:net'
import process from 'node:process'

const USAGE_MS = 100

const lifeline = new Socket({ fd: 3 })
lifeline.on('error', () => {}) // the close that follows says it
lifeline.on('close', () => process.kill(-process.pid, 'SIGKILL')) // the group: whatever the function started, too
lifeline.resume()

const tell = () => {
  const { user, system } = process.cpuUsage()
  lifeline.write(`${process.memoryUsage.rss()} ${user + system}\n`)
}
tell()
setInterval(tell, USAGE_MS)
