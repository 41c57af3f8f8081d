// Continues processes when whoever stops them is gone, however it ended: its end closes our stdin. A line `PID START` names one that may
// be stopped from now on, and is answered by its number; `PID` alone takes it back.
import { readFileSync } from 'node:fs'
import process from 'node:process'
import { createInterface } from 'node:readline'

const watched = new Map()

/** As `startTimeOf` of @trimtab/node: nobody else who has the number now is meant. */
function startTimeOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')[22 - 3]
  } catch {
    return undefined
  }
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {}) // it ends with whom it watches
process.stdout.on('error', () => {})

const lines = createInterface({ input: process.stdin })
lines.on('line', (line) => {
  const [pid, startTime] = line.split(' ')
  if (startTime === undefined) watched.delete(pid)
  else {
    watched.set(pid, startTime)
    process.stdout.write(`${pid}\n`)
  }
})
lines.on('close', () => {
  for (const [pid, startTime] of watched) {
    try {
      if (startTimeOf(pid) === startTime) process.kill(Number(pid), 'SIGCONT')
    } catch {
      // It has ended by itself.
    }
  }
  process.exit()
})
