import { availableParallelism } from 'node:os'
import process from 'node:process'
import type { Check } from './check.js'

export type RuntimeName = 'node' | 'deno' | 'bun'

/** Parts of the other runtimes' globals that are read here. */
interface Globals {
  readonly Deno?: { readonly version: { readonly deno: string } }
  readonly Bun?: { readonly version: string }
  readonly crossOriginIsolated?: boolean
}
const globals = globalThis as Globals

export function detectRuntime(): { readonly name: RuntimeName; readonly version: string } {
  if (globals.Deno) return { name: 'deno', version: globals.Deno.version.deno }
  if (globals.Bun) return { name: 'bun', version: globals.Bun.version }
  return { name: 'node', version: process.versions.node }
}

const OLDEST_NODE = [20, 19] as const

export function checkRuntime(): Check {
  const { name, version } = detectRuntime()
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const isOld = name === 'node' && (major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1]))
  return {
    name: 'runtime',
    state: isOld ? 'bad' : 'ok',
    found: `${name} ${version}, ${process.platform} ${process.arch}`,
    meaning: isOld
      ? `Node ${OLDEST_NODE.join('.')} or later is needed`
      : 'supported: the same seed gives the same decisions here as elsewhere',
  }
}

export function checkThreads(): Check {
  const cores = availableParallelism()
  return {
    name: 'threads',
    state: 'ok',
    found: `${cores} ${cores === 1 ? 'core' : 'cores'}, worker threads`,
    meaning: `a comparison runs on ${cores} ${cores === 1 ? 'worker' : 'workers'} (--workers changes it); one decision uses one thread`,
  }
}

/** Matters in browsers only: pages without the COOP and COEP headers get no SharedArrayBuffer. */
export function checkIsolation(): Check {
  const isShared = typeof SharedArrayBuffer !== 'undefined'
  const isPage = globals.crossOriginIsolated !== undefined && typeof document !== 'undefined'
  return {
    name: 'cross-origin isolation',
    state: isShared ? 'ok' : 'absent',
    found: isPage ? String(globals.crossOriginIsolated) : 'does not apply outside a browser',
    meaning: 'Trimtab shares no memory between threads, so pages need no special headers',
  }
}
