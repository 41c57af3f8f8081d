// The playground as a part of the site: its pages with the way to the other parts, and with links to the pages of files that they name.
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { navigation } from './navigation.mjs'
import { pageOf } from './pages.mjs'

const BRAND = '<a class="brand" href="./index.html" aria-label="Trimtab playground">'
const HEADER = '<header class="top">'

/**
 * @param built  where the playground lies, as it is without a site  @param out  the site, the pages of Markdown files in it
 * @throws {Error} when a page has no place for the navigation
 */
export function addPlayground(built, out) {
  const folder = join(out, 'playground')
  cpSync(built, folder, { recursive: true, filter: (path) => basename(path) !== '.stamp' })
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.html'))) {
    const path = join(folder, name)
    const html = readFileSync(path, 'utf8')
    if (!html.includes(HEADER) || !html.includes(BRAND)) throw new Error(`${name}: no place for the navigation`)
    writeFileSync(path, withSite(html, out))
  }
}

const withSite = (html, out) =>
  html
    .replace(HEADER, `${navigation('..', 'Playground')}${HEADER}`)
    .replace(BRAND, '<a class="brand" href="../index.html" aria-label="Trimtab">')
    .replaceAll(/<code>([\w./-]+\.md)<\/code>/g, (told, file) =>
      existsSync(join(out, pageOf(file))) ? `<a href="../${pageOf(file)}">${file}</a>` : told,
    )
