import type { Host } from '../src/host.js'

export interface FakeHost extends Host {
  readonly out: () => string
  readonly err: () => string
  /** What there is to read, and what was written. `-` is stdin. */
  readonly files: Map<string, string | Uint8Array>
  advance(milliseconds: number): void
}

const PIECE_BYTES = 1000 // small, so that readers meet the seams

/** A host in memory: text that was written, files by name, a clock that stands still until told. */
export function createFakeHost(
  options: { readonly isTTY?: boolean; readonly env?: Host['env']; readonly signal?: AbortSignal } = {},
): FakeHost {
  let [out, err, now] = ['', '', 0]
  const files = new Map<string, string | Uint8Array>()
  const find = (path: string) => {
    const content = files.get(path)
    if (content === undefined) throw new Error(`ENOENT: no such file, open '${path}'`)
    return content
  }
  const read = (path: string) => {
    const content = find(path)
    return typeof content === 'string' ? content : new TextDecoder().decode(content)
  }
  const isTTY = options.isTTY ?? false
  return {
    out: () => out,
    err: () => err,
    files,
    advance: (milliseconds) => {
      now += milliseconds
    },
    stdout: { isTTY, columns: 100, write: (text) => (out += text) },
    stderr: { isTTY, columns: 100, write: (text) => (err += text) },
    env: options.env ?? {},
    signal: options.signal ?? new AbortController().signal,
    now: () => now,
    wait: async (milliseconds) => {
      now += milliseconds
    },
    readTail: async (path, bytes) => ({ text: read(path).slice(-bytes), modifiedMs: now, ageMs: 0 }),
    sizeOf: async (path) => read(path).length,
    readBytes: async function* (path) {
      const content = find(path)
      const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
      for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES)
    },
    writeFile: async (path, content) => {
      const isWhole = typeof content === 'string' || content instanceof Uint8Array
      files.set(path, isWhole ? content : [...content].join(''))
    },
    appendFile: async (path, text) => void files.set(path, (files.has(path) ? read(path) : '') + text),
    removeFile: async (path) => void files.delete(path),
    canWrite: async (path) => !path.startsWith('/forbidden/'),
  }
}
