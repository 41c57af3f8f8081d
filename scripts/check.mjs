// Usage: npm run check     lint and format, types, what the packages promise to their users, sizes
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { tarballOf } from '../test/packaging/install-packed.mjs'
import { manifestOf, publishedFolders } from './packages.mjs'
import { ROOT } from './stamp.mjs'

const nameOf = (folder) => manifestOf(join(ROOT, folder)).name

/** A step: what it shows when it passes, and the command that decides. `bin` is a file below node_modules. */
const step = (title, bin, ...args) => ({ title, args: [join(ROOT, 'node_modules', bin), ...args] })

/** The same of a file of ours. */
const script = (title, path, ...args) => ({ title, args: [join(ROOT, path), ...args] })

/** What of one package is looked at: its tarball, as users get it. */
const ofPackage = (folder) => [
  step(`${nameOf(folder)}: exports (publint)`, 'publint/src/cli.js', tarballOf(folder), '--strict'),
  step(
    `${nameOf(folder)}: types as users resolve them (attw)`,
    '@arethetypeswrong/cli/dist/index.js',
    ...[
      tarballOf(folder),
      '--profile',
      'esm-only',
      '--exclude-entrypoints',
      './learn.wasm',
      './trace.wasm',
      './serve.wasm',
      '--no-color',
    ],
  ),
]

/** Steps of one phase need what those before have made, and nothing of each other: they run two at a time, the long ones first. */
const phases = [
  [
    script('build', 'scripts/build.mjs', '--quiet'),
    script('every exported symbol and kernel documented, every name of one meaning', 'scripts/check-docs.mjs'),
    step('lint and format', '@biomejs/biome/bin/biome', 'check', '--error-on-warnings'),
    script('imports go down only, and in no circle', 'scripts/check-imports.mjs'),
    script('manifests: what all packages say alike', 'scripts/manifests.mjs'),
    script('links between pages lead somewhere', 'scripts/check-links.mjs'),
  ],
  [
    step('types of tests and playground', 'typescript/bin/tsc', '-p', 'test/tsconfig.json'),
    script('declarations', 'scripts/build.mjs', '--quiet', '--types'),
    script('what TypeScript knows of the wasm exports', 'scripts/build-abi.mjs', '--check'),
    step('sizes', 'size-limit/bin.js'),
  ],
  [script('the packages pack, and the tarballs install', 'test/packaging/install-packed.mjs')],
  [
    script('declarations as a strict consumer compiles them', 'test/packaging/check-declarations.mjs'),
    ...publishedFolders().flatMap(ofPackage),
  ],
]

/** Runs one step; its output is shown only when it fails. */
function run({ args }) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output += chunk
      })
    }
    child.on('close', (code) => resolve({ passed: code === 0, output }))
  })
}

let passes = 0
let failures = 0

/** Takes steps from the queue until none is left. */
async function lane(queue) {
  for (let current = queue.shift(); current !== undefined; current = queue.shift()) {
    const start = performance.now()
    const { passed, output } = await run(current)
    const seconds = ((performance.now() - start) / 1e3).toFixed(1)
    console.log(`${passed ? '✓' : '✗'} ${current.title} (${seconds} s)`)
    if (passed) passes++
    else {
      failures++
      console.log(output.trimEnd().replace(/^/gm, '    '))
    }
  }
}

for (const phase of phases) await Promise.all([lane(phase), lane(phase)])
console.log(`${passes} passed, ${failures} failed`)
process.exitCode = failures > 0 ? 1 : 0
