// Processes that somebody else has started, as a live application needs them: their number, their end, and others in their place.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { AdapterError } from '@trimtab/core'
import type { ControlledService, ServiceInstance } from '@trimtab/local/microservices'
import { startTimeOf } from '@trimtab/node/files'
import type { Host } from '../host.js'
import { UsageError } from '../options.js'
import { readText } from '../read-file.js'
import { isPid, type ServiceEntry } from './services-file.js'

const LOOK_MS = 200
const SHORT = { maxBytes: 100, maxLines: 2 }
const MOST_REPLACING_MS = 120_000

const runProgram = promisify(execFile)

/** Who watches processes, for how long, and who hears of it. */
export interface ProcessWatch {
  readonly host: Host
  /** Ends the watching. */
  readonly signal: AbortSignal
  /** Told when a process has ended that nobody put another one in the place of. */
  readonly onGone: (service: string, pid: number) => void
}

/** The service of an entry with the process that it has now. @throws {UsageError} there is no such process */
export async function controlledService(entry: ServiceEntry, watch: ProcessWatch): Promise<ControlledService> {
  const { name, replace } = entry
  const { host, signal, onGone } = watch
  let current = 0
  const instanceOf = (pid: number, replica: number): ServiceInstance => {
    current = pid
    const gone = goneOf(pid, host, signal).then(() => {
      if (current === pid && !signal.aborted) onGone(name, pid)
    })
    return { name, replica, pid, gone }
  }
  const instance = instanceOf(await pidOf(entry, host), 0)
  let replicas = 1
  return {
    ...{ name, instance, proxies: [] },
    ...(replace && { replace: async () => instanceOf(await replaced(entry, replace, current, host), replicas++) }),
  }
}

/** Runs the command that puts another process in a service's place. @returns its number */
async function replaced(
  entry: ServiceEntry,
  [program, ...argv]: readonly string[],
  before: number,
  host: Host,
): Promise<number> {
  const { name } = entry
  await runProgram(program!, argv, { timeout: MOST_REPLACING_MS, signal: host.signal }).catch(({ message }: Error) => {
    throw new AdapterError('replace_failed', `${name} was not replaced: ${message.trim()}`)
  })
  const pid = await pidOf(entry, host).catch(({ message }: Error) => {
    throw new AdapterError('replace_failed', `${name} was replaced, and by whom is not known: ${message}`)
  })
  if (pid === before) throw new AdapterError('replace_failed', `${name} still is process ${pid} after its replacement`)
  return pid
}

async function pidOf({ name, process }: ServiceEntry, host: Host): Promise<number> {
  const pid = 'pid' in process ? process.pid : await readPid(process.pidFile, host)
  if (startTimeOf(pid) === undefined) throw new UsageError(`${name} is process ${pid}, which does not run here`)
  return pid
}

async function readPid(path: string, { readBytes }: Host): Promise<number> {
  const text = await readText(path, { readBytes, ...SHORT })
  const pid = Number(text.trim())
  if (!isPid(pid))
    throw new UsageError(`${path} must hold the number of a process, got ${JSON.stringify(text.slice(0, 20))}`)
  return pid
}

/** Resolves when the process is gone, or when the signal is given. */
async function goneOf(pid: number, host: Host, signal: AbortSignal): Promise<void> {
  const started = startTimeOf(pid)
  while (started !== undefined && startTimeOf(pid) === started && !signal.aborted) await host.wait(LOOK_MS, signal)
}
