// Usage: npm run check     lint and format, types, what the packages promise to their users, sizes
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { manifestOf, publishedFolders } from './packages.mjs'
import { ROOT } from './stamp.mjs'

const nameOf = (folder) => manifestOf(join(ROOT, folder)).name

/** A step: what it shows when it passes, and the command that decides. `bin` is a file below node_modules. */
const step = (title, bin, ...args) => ({ title, args: [join(ROOT, 'node_modules', bin), ...args] })

const steps = [
  step('lint and format', '@biomejs/biome/bin/biome', 'check', '--error-on-warnings'),
  {
    title: 'imports go down only, and in no circle',
    args: [join(ROOT, 'scripts/check-imports.mjs')],
  },
  {
    title: 'every exported symbol and kernel documented, every name of one meaning',
    args: [join(ROOT, 'scripts/check-docs.mjs')],
  },
  { title: 'manifests: what all packages say alike', args: [join(ROOT, 'scripts/manifests.mjs')] },
  { title: 'links between pages lead somewhere', args: [join(ROOT, 'scripts/check-links.mjs')] },
  { title: 'build, with declarations', args: [join(ROOT, 'scripts/build.mjs'), '--quiet', '--types'] },
  { title: 'what TypeScript knows of the wasm exports', args: [join(ROOT, 'scripts/build-abi.mjs'), '--check'] },
  step('types of tests and playground', 'typescript/bin/tsc', '-p', 'test/tsconfig.json'),
  ...publishedFolders().flatMap((folder) => [
    step(`${nameOf(folder)}: exports (publint)`, 'publint/src/cli.js', folder, '--strict'),
    step(
      `${nameOf(folder)}: types as users resolve them (attw)`,
      '@arethetypeswrong/cli/dist/index.js',
      ...[
        '--pack',
        folder,
        '--profile',
        'esm-only',
        '--exclude-entrypoints',
        './learn.wasm',
        './trace.wasm',
        './serve.wasm',
        '--no-color',
      ],
    ),
  ]),
  {
    title: 'declarations as a strict consumer compiles them',
    args: [join(ROOT, 'test/packaging/check-declarations.mjs')],
  },
  step('sizes', 'size-limit/bin.js'),
]

/** What is checked is built by then: whoever packs here need not build again. */
const env = { ...process.env, npm_config_ignore_scripts: 'true' }

/** Runs one step; its output is shown only when it fails. */
function run({ args }) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output += chunk
      })
    }
    child.on('close', (code) => resolve({ passed: code === 0, output }))
  })
}

let failed = 0
for (const current of steps) {
  const start = performance.now()
  const { passed, output } = await run(current)
  const seconds = ((performance.now() - start) / 1e3).toFixed(1)
  console.log(`${passed ? '✓' : '✗'} ${current.title} (${seconds} s)`)
  if (passed) continue
  failed++
  console.log(output.trimEnd().replace(/^/gm, '    '))
}
console.log(`${steps.length - failed} passed, ${failed} failed`)
process.exitCode = failed > 0 ? 1 : 0
