// Usage: npm run test:bundlers [-- --write]
// The packed packages, installed once as users install them, by each way in: the same ten lines must come to the answer that Node gives.
// What a bundle weighs is held against docs/sizes.md; --write writes it there.
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { launchChromium } from '../browser/chromium.mjs'
import { installHere } from '../install.mjs'
import { installPacked } from '../packaging/install-packed.mjs'
import { byEsbuild, byVite, byWebpack, programByWebpack, serveByVite } from './bundlers.mjs'
import { answersOfNext } from './next.mjs'
import { onPage, openPage } from './pages.mjs'
import { byBun, byCompiledBun, byDeno, byNode, byRequire, byWorkerd } from './programs.mjs'
import { staleSizes, writeSizes } from './sizes.mjs'

const HERE = fileURLToPath(new URL('.', import.meta.url))
/** Below the bundlers' own folder, where Next finds itself; our packages lie here, nearer than those of the workspace. */
const CONSUMER = join(HERE, 'build/consumer')
const OUT = join(CONSUMER, 'out')
const WRITES = process.argv.includes('--write')

/** The ten lines as they are, and with a core of one build. */
const ENTRIES = {
  trimtab: (text) => text,
  'trimtab/simd': (text) =>
    text.replace("{ createCore } from 'trimtab'", "{ createSimdCore as createCore } from 'trimtab/simd'"),
}

/** Makes a folder with the ten lines in it, from `trimtab` or `trimtab/simd`. */
async function makeSite(name, edit) {
  const site = join(CONSUMER, name.replace('/', '-'))
  await mkdir(site)
  await writeFile(join(site, 'ten-lines.mjs'), edit(await readFile(join(HERE, 'ten-lines.mjs'), 'utf8')))
  for (const file of ['page.mjs', 'print.mjs', 'worker.mjs', 'index.html']) await cp(join(HERE, file), join(site, file))
  return site
}

installHere(HERE)
installHere(fileURLToPath(new URL('../runtimes', import.meta.url)))
await installPacked(CONSUMER)
const sites = new Map()
for (const [name, edit] of Object.entries(ENTRIES)) sites.set(name, await makeSite(name, edit))
const plain = sites.get('trimtab')
const expected = await byNode(plain)
const browser = await launchChromium()

let passed = 0
let failed = 0
const rows = []
const sizes = []

/** Adds a row: the answer must be Node's. What throws has failed, and nothing else has. */
async function judge(name, check) {
  const start = performance.now()
  let row
  try {
    const { answer, ...bytes } = await check()
    row = { name, ...bytes, result: answer === expected ? 'same' : `DIFFERS: ${answer}` }
    if (bytes.all !== undefined) sizes.push({ name, ...bytes })
  } catch (error) {
    row = { name, result: 'FAILED' }
    console.error(`${name}: ${error.stack}\n${error.stdout ?? ''}\n${error.stderr ?? ''}`)
  }
  if (row.result === 'same') passed++
  else failed++
  rows.push({ ...row, seconds: Number(((performance.now() - start) / 1000).toFixed(1)) })
}

const answerOf = async (url) => (await openPage(browser, url)).answer
const next = answersOfNext(join(plain, 'ten-lines.mjs'), join(CONSUMER, 'next-app'), answerOf) // a minute, in which the others run
next.catch(() => {}) // is told where it is waited for

const PROGRAMS = {
  'Node, require': () => byRequire(plain),
  'Node, trimtab/simd': () => byNode(sites.get('trimtab/simd')),
  'Node, by webpack': async () => byNode(plain, await programByWebpack(plain, join(OUT, 'webpack-node'))),
  Bun: () => byBun(plain),
  'Bun, compiled': () => byCompiledBun(plain),
  Deno: () => byDeno(plain),
  workerd: () => byWorkerd(plain, join(OUT, 'workerd')),
}
for (const [name, print] of Object.entries(PROGRAMS)) await judge(name, async () => ({ answer: await print() }))

try {
  for (const [entry, site] of sites)
    for (const [bundler, bundle] of [
      ['esbuild, one file', byEsbuild],
      ['Vite', byVite],
      ['webpack', byWebpack],
    ]) {
      const name = `${bundler}, ${entry}`
      await judge(name, () => onPage(browser, bundle, site, join(OUT, name.replace(/\W+/g, '-'))))
    }
  await judge('Vite, dev server', async () => {
    const server = await serveByVite(plain)
    try {
      return { answer: await answerOf(server.origin) }
    } finally {
      await server.close()
    }
  })
  for (const name of ['Next, page of the server', 'Next, in the browser', 'Next, edge route'])
    await judge(name, async () => ({ answer: (await next)[name] }))
} finally {
  await browser.close()
}
await rm(CONSUMER, { recursive: true, force: true })

console.log(`The ten lines must answer as on Node: ${expected}; bytes gzipped`)
console.table(Object.fromEntries(rows.map(({ name, ...row }) => [name, row])))
if (WRITES) writeSizes(sizes)
const stale = staleSizes(sizes)
for (const line of stale) console.error(`${line} (npm run test:bundlers -- --write)`)
console.log(`${passed} passed, ${failed + stale.length} failed`)
process.exitCode = failed + stale.length > 0 ? 1 : 0
