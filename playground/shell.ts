// What all pages share, written into each of them when the site is built: head, navigation, what there is to see, the bar that runs it.
import { PAGES, type PageText } from './pages.js'

/** What only the build knows. */
export interface Facts {
  /** Where the code is; empty: paths are told, not linked. */
  readonly repository: string
  /** Names of the tasks that learn by doing; the first is chosen at first. */
  readonly tasks: readonly string[]
}

/** The page's own `<main>` in the frame that all have. */
export function framed(html: string, name: string, { repository, tasks }: Facts): string {
  const page = PAGES.find((one) => one.name === name)!
  return html
    .replace('<head>', `<head>${head(page)}`)
    .replace('<body>', `<body>${top(page)}${about(page, repository)}`)
    .replace('<run-bar></run-bar>', runBar)
    .replace(
      '<control-tasks></control-tasks>',
      tasks.map((task) => `<option data-registered>${task}</option>`).join(''),
    )
}

const head = ({ title, seen }: PageText): string => `
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${title} · Trimtab playground</title>
    <meta name="description" content="${seen}" />
    <meta name="color-scheme" content="light dark" />
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="./src/shell/style.css" />`

const top = ({ name: current }: PageText): string => `
    <a class="skip" href="#main">Skip to the page</a>
    <header class="top">
      <a class="brand" href="./index.html" aria-label="Trimtab playground"><svg viewBox="0 0 24 24" aria-hidden="true"><path d="M3 17 10 4l4 7 2-3 5 9z" /></svg>Trimtab</a>
      <nav aria-label="Systems">${PAGES.map(({ name, title }) => `<a href="./${name}.html"${name === current ? ' aria-current="page"' : ''}>${title}</a>`).join('')}</nav>
      <button type="button" id="theme" aria-label="Switch between light and dark"><svg viewBox="0 0 24 24" aria-hidden="true"><circle cx="12" cy="12" r="8" /><path d="M12 4a8 8 0 0 1 0 16z" /></svg></button>
    </header>`

const about = (page: PageText, repository: string): string => `
    <section class="about" aria-label="What this is">
      <h1>${page.title}</h1>
      <dl>
        <div><dt>What you see</dt><dd>${page.seen}</dd></div>
        <div><dt>What is simulated</dt><dd>${page.simulated}</dd></div>
        <div><dt>What the paper found</dt><dd>${page.found} <small>Section ${page.section}</small></dd></div>
        <div><dt>What we measured</dt><dd>${page.measured}</dd></div>
      </dl>
      <ul class="links">
        ${place('Code', [page.code], repository)}${place('README', [page.readme], repository)}${place('Results', page.results, repository)}
      </ul>
    </section>`

/** Where the repository's address is not known, files are told; the site, which has pages of them, links them to those. */
const place = (label: string, paths: readonly string[], repository: string): string =>
  `<li>${label} ${paths.map((path) => (repository ? `<a href="${repository}/${path}">${path}</a>` : `<code>${path}</code>`)).join(', ')}</li>`

const runBar = `
        <div class="bar">
          <div class="buttons">
            <button type="submit" id="run" data-testid="run">Run</button>
            <button type="button" id="pause" disabled>Pause</button>
            <button type="button" id="stop" disabled>Stop</button>
            <button type="button" id="share" data-testid="share">Copy link</button>
          </div>
          <div id="meter" aria-hidden="true"><i></i></div>
          <p id="status" data-testid="status" role="status">starting</p>
          <p id="note" data-testid="note" role="status"></p>
          <ul id="legend" aria-label="Lines of the charts"></ul>
        </div>`
