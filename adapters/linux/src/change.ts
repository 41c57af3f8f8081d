import type { AdapterError } from '@trimtab/core'
import { JsonFields, type Refuse } from '@trimtab/core/internal'
import { startTimeOf } from '@trimtab/node/files'
import type { KernelFiles } from './kernel-files.js'
import { removeShaping } from './network/commands.js'

/** One thing that was changed on this machine, with all that undoing it needs. */
export type Change =
  /** A file (or what it says of one device) that held something else: `undo` is what to write. */
  | { readonly kind: 'file'; readonly path: string; readonly subject: string; readonly undo: string }
  /** A control group that was made. */
  | { readonly kind: 'group'; readonly path: string; readonly tasks: string }
  /** A process that was moved among the groups of a hierarchy: `home` is the file that takes it back to its first. */
  | {
      readonly kind: 'process'
      readonly pid: number
      readonly startTime: string
      readonly hierarchy: string
      readonly home: string
    }
  /** Queues at a network device, and the device through which its ingress goes. */
  | { readonly kind: 'network'; readonly device: string; readonly namespace: string; readonly ifb: string }

/** Changes of one key undo the same thing: the first of them knows how it was. */
export function keyOf(change: Change): string {
  switch (change.kind) {
    case 'file':
      return `file ${change.path} ${change.subject}`
    case 'group':
      return `group ${change.path}`
    case 'process':
      return `process ${change.pid} ${change.startTime} ${change.hierarchy}`
    case 'network':
      return `network ${change.namespace} ${change.device}`
    default:
      return change satisfies never
  }
}

/**
 * Puts back what a change found. What is gone meanwhile needs nothing; twice does no harm.
 * @throws {AdapterError} the kernel refuses
 */
export function undo(change: Change, files: KernelFiles): void {
  switch (change.kind) {
    case 'file':
      unlessGone(() => files.write(change.path, change.undo))
      break
    case 'group':
      unlessGone(() => removeGroup(change.path, change.tasks, files))
      break
    case 'process':
      if (startTimeOf(change.pid) === change.startTime) unlessGone(() => files.write(change.home, `${change.pid}`))
      break
    case 'network':
      removeShaping(change)
      break
    default:
      change satisfies never
  }
}

const TRIES = 50
const PAUSE_MS = 20 // a killed process leaves its group a moment later

/** Whoever is still in it, children of what was moved say, goes to the group above. */
function removeGroup(path: string, tasks: string, files: KernelFiles): void {
  const above = `${path.slice(0, path.lastIndexOf('/'))}/${tasks}`
  for (let tries = 1; ; tries++) {
    for (const pid of files.read(`${path}/${tasks}`)?.split('\n').filter(Boolean) ?? [])
      unlessGone(() => files.write(above, pid))
    try {
      files.removeFolder(path)
      return
    } catch (error) {
      if ((error as AdapterError).code !== 'linux_refused' || tries === TRIES) throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS)
    }
  }
}

function unlessGone(act: () => void): void {
  try {
    act()
  } catch (error) {
    if ((error as AdapterError).code !== 'linux_gone') throw error
  }
}

/** A line of a journal. @throws what `refuse` makes of one that says no change */
export function parseChange(line: string, refuse: Refuse): Change {
  const fields = JsonFields.parse(line, refuse)
  const kind = fields.choice('kind', KINDS)
  switch (kind) {
    case 'file':
      return { kind, path: fields.text('path'), subject: fields.text('subject'), undo: fields.text('undo') }
    case 'group':
      return { kind, path: fields.text('path'), tasks: fields.text('tasks') }
    case 'process':
      return {
        ...{ kind, pid: fields.integer('pid', 1), startTime: fields.text('startTime') },
        ...{ hierarchy: fields.text('hierarchy'), home: fields.text('home') },
      }
    case 'network':
      return { kind, device: fields.text('device'), namespace: fields.text('namespace'), ifb: fields.text('ifb') }
    default:
      return kind satisfies never
  }
}

const KINDS = ['file', 'group', 'process', 'network'] as const
