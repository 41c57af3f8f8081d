import { execFileSync, spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { canReplaceFile, ownIdentity, removeFileSync, replaceFile, replaceFileSync } from '../src/index.js'
import { bundle } from './bundle.js'

const isPosix = process.platform !== 'win32'
const isRoot = process.getuid?.() === 0

let root: string
let folder: string
let count = 0
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'trimtab-replace-'))
  chmodSync(root, 0o755) // a test is somebody else
})
beforeEach(() => {
  folder = join(root, `${count++}`)
  mkdirSync(folder)
})
afterAll(() => rmSync(root, { recursive: true }))

const text = (path: string): string => readFileSync(path, 'utf8')

/** The name of a draft of `target` as a process with this number would have left it. */
const draftOf = (target: string, pid: number | string, startTime: string | undefined = ''): string =>
  `${target}.${pid}-${startTime}-${/\d+/.exec(ownIdentity().pidNamespace ?? '')?.[0] ?? ''}-0123456789ab.draft`

function deadPid(): number {
  return spawnSync(process.execPath, ['--version']).pid
}

describe.each([
  ['replaceFile', replaceFile],
  ['replaceFileSync', async (...call: Parameters<typeof replaceFileSync>) => replaceFileSync(...call)],
])('%s', (_, replace) => {
  it('writes text, bytes and pieces of both, and leaves nothing else', async () => {
    const path = join(folder, 'file')
    await replace(path, 'grün')
    expect(text(path)).toBe('grün')
    await replace(path, Uint8Array.of(0, 255))
    expect([...readFileSync(path)]).toEqual([0, 255])
    await replace(path, ['a', Uint8Array.of(98), 'c'])
    expect(text(path)).toBe('abc')
    await replace(path, [])
    expect(text(path)).toBe('')
    expect(readdirSync(folder)).toEqual(['file'])
  })

  it.runIf(isPosix)('keeps the mode of a file that is there, whatever the umask', async () => {
    const path = join(folder, 'file')
    for (const mode of [0o600, 0o664, 0o755]) {
      writeFileSync(path, 'older')
      chmodSync(path, mode)
      await replace(path, 'newer')
      expect(statSync(path).mode & 0o7777).toBe(mode)
    }
  })

  it.runIf(isRoot)('keeps the owner of a file that is there', async () => {
    const path = join(folder, 'file')
    writeFileSync(path, 'older')
    chownSync(path, 1234, 2345)
    await replace(path, 'newer')
    expect(statSync(path)).toMatchObject({ uid: 1234, gid: 2345 })
  })

  it.runIf(isPosix)('replaces what symbolic links lead to, also where that is not there yet', async () => {
    mkdirSync(join(folder, 'elsewhere'))
    symlinkSync('elsewhere/file', join(folder, 'second'))
    symlinkSync('second', join(folder, 'first'))
    for (const content of ['one', 'two']) {
      await replace(join(folder, 'first'), content)
      expect(text(join(folder, 'elsewhere/file'))).toBe(content)
      expect(lstatSync(join(folder, 'first')).isSymbolicLink()).toBe(true)
      expect(readdirSync(join(folder, 'elsewhere'))).toEqual(['file'])
    }
    symlinkSync('ring', join(folder, 'ring'))
    await expect(replace(join(folder, 'ring'), '')).rejects.toThrow(/symbolic links/)
  })

  it('leaves the older file and no draft when writing fails in the middle', async () => {
    const path = join(folder, 'file')
    writeFileSync(path, 'older')
    function* pieces() {
      yield 'half of '
      throw new Error('out of ideas')
    }
    await expect(replace(path, pieces())).rejects.toThrow(
      expect.objectContaining({ code: 'file_write_failed', message: `${path} cannot be written: out of ideas` }),
    )
    expect(text(path)).toBe('older')
    expect(readdirSync(folder)).toEqual(['file'])
  })

  it.each(['no/file', '.'])('refuses %s, which is no file in a folder', async (name) => {
    expect(await canReplaceFile(join(folder, name))).toBe(false)
    await expect(replace(join(folder, name), '')).rejects.toThrow(
      expect.objectContaining({ code: 'file_write_failed' }),
    )
  })

  it.runIf(isPosix)('refuses a pipe and a device instead of taking their names', async () => {
    const pipe = join(folder, 'pipe')
    execFileSync('mkfifo', [pipe])
    for (const path of [pipe, '/dev/null']) {
      expect(await canReplaceFile(path)).toBe(false)
      await expect(replace(path, 'x')).rejects.toThrow(/no regular file/)
    }
    expect(statSync('/dev/null').isCharacterDevice()).toBe(true)
  })

  it('clears the drafts that dead processes left of this file, and no others', async () => {
    const path = join(folder, 'file')
    const { pid, startTime } = ownIdentity()
    const left = [draftOf('file', deadPid()), ...(startTime === undefined ? [] : [draftOf('file', pid, '1')])]
    const others = [
      draftOf('file', pid, startTime), // somebody is writing it
      draftOf('other', deadPid()),
      'file.draft',
      'file.1-2.draft',
    ].sort()
    for (const name of [...left, ...others]) writeFileSync(join(folder, name), '')
    await replace(path, 'newer')
    expect(readdirSync(folder).sort()).toEqual(['file', ...others].sort())
  })

  it('takes names as long as they may be', async () => {
    const path = join(folder, 'ж'.repeat(127))
    await replace(path, 'long')
    expect(text(path)).toBe('long')
  })
})

describe('removeFileSync', () => {
  it('takes the drafts of the dead along, and does nothing where there is nothing', () => {
    const path = join(folder, 'file')
    writeFileSync(path, '')
    writeFileSync(join(folder, draftOf('file', deadPid())), '')
    removeFileSync(path)
    removeFileSync(path)
    expect(readdirSync(folder)).toEqual([])
  })
})

describe('a process that replaces files', () => {
  it('keeps the last of several writes that overlap, whole', async () => {
    const path = join(folder, 'file')
    const contents = Array.from({ length: 8 }, (_, i) => String(i).repeat(100_000))
    await Promise.all(contents.map((content) => replaceFile(path, content)))
    expect(contents).toContain(text(path))
    expect(readdirSync(folder)).toEqual(['file'])
  })

  it.runIf(isPosix)('does not touch a file that is write-protected, or where it can make no draft', async () => {
    const program = await bundle('replace-once', join(root, 'once'))
    const path = join(folder, 'file')
    const run = () => {
      const nobody = isRoot ? { uid: 65534, gid: 65534 } : {}
      return spawnSync(process.execPath, [program, path, 'newer'], { ...nobody, encoding: 'utf8' })
    }
    writeFileSync(path, 'older')
    chmodSync(path, 0o444)
    chmodSync(folder, 0o777)
    expect(run().stdout).toMatch(/^false .*EACCES/)
    chmodSync(path, 0o666)
    chmodSync(folder, 0o555)
    expect(run().stdout).toMatch(/^false .*EACCES/)
    expect(text(path)).toBe('older')
    chmodSync(folder, 0o777)
    expect(run().stdout).toBe('true done\n')
  })

  it.each(['in time', 'at once'])(
    'loses nothing at 20 moments of being killed, writing %s',
    async (how) => {
      const program = await bundle('replace-for-ever', join(root, how.replace(' ', '-')))
      const killAt = async (share: number): Promise<void> => {
        const path = join(folder, `file-${share}`)
        writeFileSync(path, Buffer.alloc(2_000_000, 7))
        const writer = spawn(process.execPath, [program, path, how], { stdio: ['ignore', 'pipe', 'inherit'] })
        const closed = new Promise((resolve) => writer.on('close', resolve))
        const begins: number[] = []
        writer.stdout.on('data', () => {
          begins.push(performance.now())
          const [first, second] = begins
          if (begins.length !== 2) return
          setTimeout(() => writer.kill('SIGKILL'), (second! - first!) * share) // somewhere in the second write
        })
        await closed
        const state = readFileSync(path)
        expect(state.length).toBe(2_000_000)
        expect(state.every((byte) => byte === state[0])).toBe(true)
        await replaceFile(path, 'at last')
      }
      const shares = Array.from({ length: 20 }, (_, i) => i / 20)
      for (let i = 0; i < shares.length; i += 4) await Promise.all(shares.slice(i, i + 4).map(killAt))
      expect(readdirSync(folder).sort()).toEqual(shares.map((share) => `file-${share}`).sort())
    },
    60_000,
  )
})
