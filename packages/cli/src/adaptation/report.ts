import type { AdaptationRecord, EvaluationRecord, RoundRecord } from '@trimtab/studies'
import { renderChart, type Series } from '../report/chart.js'
import { renderDocument } from '../report/document.js'
import { escapeHtml, fixed } from '../report/format.js'
import { linearScale, maxOf, minOf } from '../report/scale.js'
import { BASE, CHARTS, renderThemes } from '../report/style.js'
import { renderMap } from './map.js'

/** What the heading says: names and values. */
export type Facts = readonly (readonly [name: string, value: string])[]

const METHODS = [
  { light: '#0a5fd0', dark: '#5fb0ff', dash: '' },
  { light: '#d4690a', dark: '#ffab5c', dash: '6 3' },
  { light: '#00825f', dark: '#3fd0a4', dash: '2 3' },
  { light: '#b03a86', dark: '#f08cc8', dash: '9 3 2 3' },
]

/**
 * Learning curves with their spread and the map of embeddings as one HTML file that needs nothing else; the records stand as
 * JSON inside (`<script type="application/json" id="trimtab-adaptation">`).
 */
export function renderAdaptationReport(title: string, facts: Facts, records: readonly AdaptationRecord[]): string {
  const rounds = records.filter((one) => one.event === 'round')
  const evaluations = records.filter((one) => one.event === 'evaluation')
  const embeddings = records.filter((one) => one.event === 'embedding')
  const tokens = (theme: 'light' | 'dark') => METHODS.map((style, i) => `--c-m${i}:${style[theme]};`).join('')
  const colours = METHODS.map((_, i) => `.m${i}{--series:var(--c-m${i})}`).join('')
  return renderDocument({
    title: `Trimtab: ${title.toLowerCase()}`,
    style: `${renderThemes((theme) => `${tokens(theme)}--c-trimtab:var(--c-m0);`)}${colours}${CHARTS}${MAP}${BASE}`,
    body: `<main><header><div><h1>${escapeHtml(title)}</h1></div>
<dl class="facts">${facts.map(([name, value]) => `<div><dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd></div>`).join('')}</dl></header>
${renderRounds(rounds)}${renderCurves(evaluations)}${renderMap(embeddings)}
<footer>Everything here was measured in a simulator.</footer></main>`,
    data: { id: 'trimtab-adaptation', value: records },
  })
}

function renderRounds(rounds: readonly RoundRecord[]): string {
  if (rounds.length < 2) return ''
  const values = rounds.map(({ reward }) => reward)
  const last = rounds.at(-1)!
  const chart = renderChart({
    title: 'Reward while pretraining',
    unit: 'a step, mean over the pool, exploration included',
    description: 'Mean reward a step over the rounds of pretraining',
    scale: linearScale(minOf([values]), maxOf([values]), 5),
    xTicks: linearScale(0, rounds.length, 6).ticks.filter(({ at01 }) => at01 <= 1),
    xUnit: 'rounds',
    shape: 'line',
    series: [{ key: 'm0', values, dash: '', width: 2.2 }],
  })
  return `<section><h2>Pretraining</h2><p class="lead">${last.round} rounds, the last at ${fixed(last.reward, 3)} a step.</p>${chart}</section>`
}

function renderCurves(evaluations: readonly EvaluationRecord[]): string {
  const methods = [...new Set(evaluations.map(({ method }) => method))]
  if (methods.length === 0) return ''
  const series = methods.map((method, i) =>
    toSeries(
      `m${i % METHODS.length}`,
      METHODS[i % METHODS.length]!.dash,
      evaluations.filter((one) => one.method === method),
    ),
  )
  const edges = series.flatMap(({ values, spread = [] }) => [
    values.map((value, i) => value - spread[i]!),
    values.map((value, i) => value + spread[i]!),
  ])
  const episodes = Math.max(...series.map(({ values }) => values.length)) - 1
  const legend = methods.map(
    (method, i) => `<li><i class="m${i % METHODS.length}"></i>${escapeHtml(method.replaceAll('-', ' '))}</li>`,
  )
  const chart = renderChart({
    title: 'Reward without exploration',
    unit: 'a step',
    description: `Mean reward a step after each episode: ${methods.join(', ')}`,
    scale: linearScale(minOf(edges), maxOf(edges), 5),
    xTicks: linearScale(0, Math.max(1, episodes), 6).ticks.filter(({ at01 }) => at01 <= 1),
    xUnit: 'episodes',
    shape: 'line',
    series,
  })
  return `<section><h2>Adaptation</h2><p class="lead">Mean over pairs and seeds; the band is one standard deviation.</p><ul class="legend">${legend.join('')}</ul>${chart}</section>`
}

/** Mean and deviation over pairs and seeds, episode by episode. */
function toSeries(key: string, dash: string, evaluations: readonly EvaluationRecord[]): Series {
  const last = Math.max(...evaluations.map(({ episode }) => episode))
  const values: number[] = []
  const spread: number[] = []
  for (let episode = 0; episode <= last; episode++) {
    const rewards = evaluations.filter((one) => one.episode === episode).map(({ reward }) => reward)
    const mean = rewards.reduce((a, b) => a + b, 0) / rewards.length
    const squares = rewards.reduce((sum, reward) => sum + (reward - mean) ** 2, 0)
    values.push(mean)
    spread.push(Math.sqrt(squares / Math.max(1, rewards.length - 1)))
  }
  return { key, values, spread, dash, width: 2.2 }
}

const MAP = `.map{width:100%;max-height:520px}.map circle{fill:var(--c-m0);stroke:var(--card)}.map text{font-size:11px;fill:var(--muted)}`
