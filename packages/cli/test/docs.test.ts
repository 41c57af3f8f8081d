// What README and the guides tell people to type, typed. A block of shell or JavaScript runs as it stands, in a folder of its page's own where the
// packages are installed, but where its first line says otherwise: "needs …" (a cluster, a GPU, minutes: its calls are only read), or a file's name
// (it is written there). A call may end with 0; "exit 1" or "exit 0 or 1" in its comment says what else.
// What JavaScript prints stands behind it, each line as `// → …`, where it is told.
import { execFile } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { VERBS } from '../src/verbs.js'
import { wordsOfCall } from './words-of-call.js'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const BIN = join(ROOT, 'packages/cli/dist/bin.js')
const SLOW_MS = 300_000

const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'packages/tasks/README.md',
  ...readdirSync(join(ROOT, 'docs/guides')).map((name) => `docs/guides/${name}`),
]

interface Block {
  readonly language: string
  /** What follows the language in the first line. */
  readonly note: string
  readonly text: string
}

const blocksOf = (page: string): Block[] =>
  [...readFileSync(join(ROOT, page), 'utf8').matchAll(/^```(sh|js) ?([^\n]*)\n(.*?)^```$/gms)].map(
    ([, language, note, text]) => ({ language: language!, note: note!, text: text! }),
  )

const callsOf = (text: string): string[] => text.split('\n').filter((line) => /^(npx )?trimtab /.test(line))

const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true })
})

/** An empty project where `npm i trimtab` was typed. */
function createProject(): string {
  const folder = mkdtempSync(join(tmpdir(), 'trimtab-docs-'))
  folders.push(folder)
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(join(ROOT, 'packages/cli'), join(folder, 'node_modules/trimtab'))
  symlinkSync(join(ROOT, 'node_modules/@trimtab'), join(folder, 'node_modules/@trimtab'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  return folder
}

function run(folder: string, args: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: folder, maxBuffer: 1 << 26 }, (error, out, err) =>
      resolve({ code: error ? Number(error.code ?? -1) : 0, out, err }),
    )
  })
}

async function runBlock(folder: string, { language, note, text }: Block): Promise<void> {
  if (note.startsWith('needs ')) {
    for (const call of callsOf(text)) {
      const [verb, ...rest] = wordsOfCall(call)
      await (await VERBS[verb!]!()).check(rest)
    }
  } else if (note !== '') writeFileSync(join(folder, note), text)
  else if (language === 'js') {
    writeFileSync(join(folder, 'snippet.js'), text)
    const { code, out, err } = await run(folder, ['snippet.js'])
    expect({ code, err }).toEqual({ code: 0, err: '' })
    const told = [...text.matchAll(/^\/\/ → (.*)$/gm)].map(([, line]) => line)
    if (told.length > 0) expect(out.trimEnd().split('\n')).toEqual(told)
    else expect(out).not.toBe('')
  } else {
    const lines = text.split('\n').filter(Boolean)
    expect(callsOf(text)).toEqual(lines) // anything else would not be run
    for (const call of lines) {
      const { code, err } = await run(folder, [BIN, ...wordsOfCall(call)])
      const allowed = /exit 0 or 1$/.test(call) ? [0, 1] : /exit 1$/.test(call) ? [1] : [0]
      expect(allowed, `${call}\n${err}`).toContain(code)
    }
  }
}

describe.each(PAGES.map((page) => [page, blocksOf(page)] as const).filter(([, blocks]) => blocks.length > 0))(
  '%s',
  (_, blocks) => {
    const folder = createProject()
    it.each(blocks.map((block) => [block.text.trim().split('\n')[0], block] as const))(
      'works as printed: %s',
      (_, block) => runBlock(folder, block),
      SLOW_MS,
    )
  },
)

describe('the README', () => {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')

  it('is read in a few minutes', () => {
    expect(readme.trim().split(/\s+/).length).toBeLessThanOrEqual(900)
  })

  it('installs the package in its first block, and begins in a clone with two commands', () => {
    const [install, clone] = blocksOf('README.md')
    expect(install!.text).toBe('npm i trimtab\n')
    expect(clone!.text).toMatch(/^npm ci && npm start .*\nnpm test .*\n$/)
  })
})

describe('llms.txt', () => {
  it('names files that are there', () => {
    const links = [...readFileSync(join(ROOT, 'llms.txt'), 'utf8').matchAll(/\]\(([^)]+)\)/g)].map(([, to]) => to!)
    expect(links.length).toBeGreaterThan(10)
    for (const to of links) expect(existsSync(join(ROOT, dirname(to), to.split('/').at(-1)!)), to).toBe(true)
  })
})
