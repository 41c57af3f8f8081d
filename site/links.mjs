// Whether every link of the site leads to a page of it, or to a place on one, and nothing is fetched from elsewhere.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'

const OUTSIDE = /^[a-z][a-z+.-]*:/i

/** @returns how many links there are, and what is wrong with which */
export function brokenLinks(site) {
  const pages = new Map()
  for (const file of readdirSync(site, { recursive: true })) {
    if (!file.endsWith('.html')) continue
    const text = readFileSync(join(site, file), 'utf8').replace(/<!--.*?-->|<script>.*?<\/script>/gs, '')
    const ids = new Set([...text.matchAll(/\s(?:id|name)="([^"]*)"/g)].map(([, id]) => id))
    pages.set(join(site, file), { text, ids })
  }
  const broken = []
  let links = 0
  for (const [page, { text }] of pages) {
    const name = relative(site, page).split(sep).join('/')
    for (const [, tag, address] of text.matchAll(/<([a-z]+)\b[^>]*?\s(?:href|src)="([^"]*)"/g)) {
      if (address.startsWith('data:')) continue
      links++
      const problem = OUTSIDE.test(address) ? outside(tag, address) : problemOf(page, address, pages)
      if (problem) broken.push(`${name}: ${address}: ${problem}`)
    }
  }
  return { links, broken }
}

/** A link may lead elsewhere; what a page is made of may not. */
const outside = (tag) => (tag === 'a' ? undefined : 'comes from elsewhere')

function problemOf(page, address, pages) {
  const [path, anchor] = address.replaceAll('&amp;', '&').split('#')
  const target = path === '' ? page : join(dirname(page), decodeURIComponent(path.split('?')[0]))
  if (!existsSync(target)) return 'there is no such file'
  if (!anchor || !target.endsWith('.html')) return undefined
  return pages.get(target)?.ids.has(decodeURIComponent(anchor)) ? undefined : 'there is no such place on the page'
}
