// The Markdown files of the repository as pages, at the places where they lie there.
import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import MarkdownIt from 'markdown-it'
import { anchorOf } from '../scripts/anchors.mjs'
import { REPOSITORY } from '../scripts/repository.mjs'
import { ROOT } from '../scripts/stamp.mjs'
import { navigation } from './navigation.mjs'

const COPIED = /\.(png|svg)$/

const markdown = new MarkdownIt({ html: true })

const filesOf = (...patterns) =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...patterns], {
    cwd: ROOT,
    encoding: 'utf8',
  })
    .split('\n')
    .filter((file) => file !== '' && existsSync(join(ROOT, file)))

/** Where a file's page lies: a README is its folder's. */
export const pageOf = (file) => file.replace(/README\.md$/, 'index.html').replace(/\.md$/, '.html')

/** Writes a page for each file, and the pictures that they show. @returns how many pages */
export function buildPages(out) {
  const files = filesOf('*.md')
  for (const file of files) write(out, pageOf(file), render(file, new Set(files)))
  for (const name of ['style.css', 'copy.js']) write(out, name, readFileSync(join(ROOT, 'site', name), 'utf8'))
  for (const file of filesOf('*.png', '*.svg')) {
    mkdirSync(dirname(join(out, file)), { recursive: true })
    copyFileSync(join(ROOT, file), join(out, file))
  }
  return files.length
}

function write(out, path, text) {
  mkdirSync(dirname(join(out, path)), { recursive: true })
  writeFileSync(join(out, path), text)
}

function render(file, files) {
  const tokens = markdown.parse(readFileSync(join(ROOT, file), 'utf8'), {})
  let title = file
  for (const [i, token] of tokens.entries()) {
    if (token.type === 'heading_open') {
      const { content } = tokens[i + 1]
      token.attrSet('id', anchorOf(content))
      if (token.tag === 'h1') title = content
    }
    if (token.type === 'table_open') token.attrSet('tabindex', '0') // wider than a phone: to be scrolled by keyboard
    if (token.children) relink(token.children, file, files)
  }
  const main = markdown.renderer.render(tokens, markdown.options, {})
  return frame({
    title: markdown.utils.escapeHtml(title),
    main,
    file,
    root: posix.relative(posix.dirname(file), '.') || '.',
  })
}

/** Links lead to the pages of files; what has none is told, or linked where the repository is known. */
function relink(tokens, file, files) {
  const opened = []
  for (const token of tokens) {
    if (token.type === 'image') continue
    if (token.type === 'link_open') {
      const href = addressOf(token.attrGet('href'), file, files)
      token.tag = href === undefined ? 'span' : 'a'
      token.attrs = href === undefined ? null : [['href', href]]
      opened.push(token.tag)
    } else if (token.type === 'link_close') token.tag = opened.pop()
  }
}

function addressOf(href, file, files) {
  if (/^[a-z]+:|^#/.test(href)) return href
  const [path, anchor] = href.split('#')
  const target = posix.normalize(posix.join(posix.dirname(file), decodeURI(path))).replace(/\/$/, '')
  if (target === 'playground') return `${posix.relative(posix.dirname(file), 'playground') || '.'}/index.html`
  const isFolder = statSync(join(ROOT, target)).isDirectory()
  const page = isFolder ? posix.join(target, 'README.md') : target
  if (files.has(page) || COPIED.test(page))
    return `${posix.relative(posix.dirname(file), pageOf(page))}${anchor === undefined ? '' : `#${anchor}`}`
  return REPOSITORY ? `${REPOSITORY}/tree/main/${target}` : undefined
}

const partOf = (file) =>
  file === 'README.md'
    ? 'Start'
    : file.startsWith('docs/guides/')
      ? 'Guides'
      : file.startsWith('docs/results/')
        ? 'Results'
        : undefined

const frame = ({ title, main, root, file }) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; img-src 'self' data:; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title === 'Trimtab' ? title : `${title} · Trimtab`}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${root}/style.css">
<script type="module" src="${root}/copy.js"></script>
</head>
<body>
<header><a class="brand" href="${root}/index.html">Trimtab</a>${navigation(root, partOf(file))}</header>
<main>
${main}</main>
</body>
</html>
`
