// Usage: node scripts/check-links.mjs     every link of a Markdown file to another file, or to a heading, of the repository leads there
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { anchorOf } from './anchors.mjs'
import { ROOT } from './stamp.mjs'

const list = (...patterns) =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...patterns], {
    cwd: ROOT,
    encoding: 'utf8',
  })
    .split('\n')
    .filter((file) => file !== '' && existsSync(join(ROOT, file)))

const withoutCode = (text) => text.replace(/^ *```.*?^ *```/gms, '').replace(/`[^`\n]*`/g, '')

function anchorsOf(file) {
  const headings = readFileSync(join(ROOT, file), 'utf8')
    .replace(/^ *```.*?^ *```/gms, '')
    .matchAll(/^#+ (.*)$/gm)
  return new Set([...headings].map(([, heading]) => anchorOf(heading)))
}

/** What is wrong with a link, or nothing. */
function problemOf(page, link) {
  const [path, anchor] = link.split('#')
  const target = path === '' ? page : normalize(join(dirname(page), decodeURI(path)))
  if (target.startsWith('..')) return 'leads out of the repository'
  if (!existsSync(join(ROOT, target))) return 'there is no such file'
  if (anchor === undefined) return undefined
  const readme = statSync(join(ROOT, target)).isDirectory() ? join(target, 'README.md') : target
  return existsSync(join(ROOT, readme)) && anchorsOf(readme).has(anchor) ? undefined : 'there is no such heading'
}

const pages = list('*.md', 'llms.txt')
let links = 0
let broken = 0
for (const page of pages) {
  const text = withoutCode(readFileSync(join(ROOT, page), 'utf8'))
  for (const [, link] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
    if (/^[a-z]+:/.test(link)) continue
    links++
    const problem = problemOf(page, link)
    if (problem === undefined) continue
    broken++
    console.log(`  ${page}: ${link}: ${problem}`)
  }
}
console.log(`${links} links of ${pages.length} pages, ${broken} broken`)
process.exitCode = broken > 0 ? 1 : 0
