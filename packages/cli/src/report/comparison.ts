import type { ComparedController, Comparison, Spread } from '@trimtab/studies'
import { renderDocument } from './document.js'
import { escapeHtml, fixed } from './format.js'
import { BASE, renderThemes } from './style.js'

/** A comparison in any task as one HTML file that needs nothing else; its numbers stand as JSON inside. */
export function renderComparison(comparison: Comparison): string {
  const { settings, controllers, findings } = comparison
  const { labels, pairs, seeds, episodes } = settings
  const { heads, rows } = comparisonTable(comparison)
  const renderRow = ({ label }: ComparedController, i: number): string =>
    `<tr><th scope="row">${escapeHtml(label)}</th>${rows[i]!.map((text) => `<td>${text}</td>`).join('')}</tr>`
  return renderDocument({
    title: `Trimtab: ${labels.task}, side by side`,
    style: `${renderThemes(() => '')}${BASE}`,
    body: `<main><header><div><h1>${escapeHtml(labels.task)}, side by side</h1></div></header>
<p class="lead">${pairs.length} × ${escapeHtml(labels.spec)}, ${seeds.length} seeds, ${episodes} learning episodes; mean ± deviation over seeds, violations in percent of steps.</p>
<table><thead><tr>${['controller', ...heads].map((head) => `<th scope="col">${escapeHtml(head)}</th>`).join('')}</tr></thead><tbody>${controllers.map(renderRow).join('')}</tbody></table>
<ul>${findings.map((text) => `<li>${escapeHtml(text)}</li>`).join('')}</ul>
<footer>Everything here was measured in a simulator.</footer></main>`,
    data: { id: 'trimtab-comparison', value: comparison },
  })
}

/** What each controller came to, mean ± deviation over seeds: a row each, in their order. */
export function comparisonTable({ settings: { labels }, controllers }: Comparison): {
  readonly heads: readonly string[]
  readonly rows: readonly (readonly string[])[]
} {
  return {
    heads: [labels.reward, labels.violation, `${labels.violation}, while learning`, 'worst run'],
    rows: controllers.map(({ reward, violationPercent, learningViolationPercent, worst }) => [
      ...[reward, violationPercent, learningViolationPercent].map(cell),
      worst ? fixed(worst.gain, 2) : '–',
    ]),
  }
}

const cell = (spread: Spread | undefined): string =>
  spread ? `${fixed(spread.mean, 2)} ± ${fixed(spread.deviation, 2)}` : '–'
