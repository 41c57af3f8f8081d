// Usage: npm run site [-- DIR]     one static site: what the Markdown files say, the API reference and the playground, in site/dist
// It runs from any folder of any static host, and offline.
import { rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { ROOT } from '../scripts/stamp.mjs'
import { buildPlayground } from '../test/browser/built-playground.mjs'
import { buildApi } from './api.mjs'
import { brokenLinks } from './links.mjs'
import { buildPages } from './pages.mjs'
import { addPlayground } from './playground.mjs'

const out = resolve(process.argv[2] ?? join(ROOT, 'site/dist'))
rmSync(out, { recursive: true, force: true })
const pages = buildPages(out)
addPlayground(await buildPlayground(), out)
const modules = await buildApi(join(out, 'api'))
const { links, broken } = brokenLinks(out)
for (const one of broken) console.error(`  ${one}`)
console.log(`${pages} pages, ${modules} modules of the API, the playground: ${out}`)
console.log(`${links} links, ${broken.length} broken`)
process.exitCode = broken.length > 0 ? 1 : 0
