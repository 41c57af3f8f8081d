// Learning curves: mean over applications, then mean and spread over seeds, smoothed over a few episodes.
import type { AutoscalerSummary, AutoscalingReport, LearningCurve } from '@trimtab/studies'
import { renderChart, type Series } from './chart.js'
import { escapeHtml } from './format.js'
import { cssKey, styleOf, swatch } from './palette.js'
import { kneeScale, linearScale, maxOf, minOf, type Tick } from './scale.js'
import { rivalsOf } from './summary.js'

const WINDOW = 10 // episodes of the running mean: one episode is 100 steps, so a single violation is already 1 %

export function renderLearning(report: AutoscalingReport): string {
  const learners = report.controllers.filter(({ name }) => report.curves.some(({ controller }) => controller === name))
  if (learners.length === 0) return ''
  const xTicks = linearScale(0, report.settings.episodes, 5).ticks.filter(({ at01 }) => at01 <= 1)
  const curvesOf = (name: string) => report.curves.filter(({ controller }) => controller === name)
  const seriesOf = (read: (curve: LearningCurve) => readonly number[]) =>
    learners.map((learner) => toSeries(learner, curvesOf(learner.name), read))
  const rewards = seriesOf(({ reward }) => reward)
  const violations = seriesOf(({ violationPercent }) => violationPercent)
  const { ours, rule } = rivalsOf(report)
  const tops = [maxOf(rewards.map(({ values }) => values)), rule?.reward.mean ?? 0]
  const common = { xTicks, xUnit: 'episodes', shape: 'line' } as const
  const charts = [
    renderChart({
      ...common,
      title: 'Reward while learning',
      unit: 'of 200 an episode',
      description: 'Reward of each learner over its learning episodes, with the spread over seeds',
      scale: linearScale(Math.max(0, minOf(rewards.map(({ values }) => values))), Math.max(...tops), 5),
      series: rewards,
      references: rule ? [{ value: rule.reward.mean, label: `${rule.label}, judged` }] : [],
    }),
    renderChart({
      ...common,
      title: 'SLO violations while learning',
      unit: '% of steps',
      description: 'SLO violations of each learner over its learning episodes, with the spread over seeds',
      scale: kneeScale(Math.min(100, Math.max(1, maxOf(violations.map(({ values }) => values)))), 0.1),
      series: violations,
      references: rule?.learningViolationPercent
        ? [{ value: rule.learningViolationPercent.mean, label: `${rule.label}, mean` }]
        : [],
    }),
    ours ? renderStages(ours, curvesOf(ours.name), xTicks) : '',
  ]
  const legend = learners.map((learner) => `<li>${swatch(learner)}${escapeHtml(learner.label)}</li>`).join('')
  return `<section><h2>Learning</h2><p class="lead">Running mean of ${WINDOW} episodes over applications; the band is one standard deviation over seeds.</p>
<ul class="legend">${legend}</ul><div class="grid-2">${charts.join('')}</div></section>`
}

function toSeries(
  learner: AutoscalerSummary,
  curves: readonly LearningCurve[],
  read: (curve: LearningCurve) => readonly number[],
): Series {
  const seeds = [...new Set(curves.map(({ seed }) => seed))]
  const bySeed = seeds.map((seed) => smooth(meanOf(curves.filter((curve) => curve.seed === seed).map(read))))
  const values = meanOf(bySeed)
  const { dash, width } = styleOf(learner)
  const spread = values.map((mean, i) => {
    const squares = bySeed.map((one) => ((one[i] ?? mean) - mean) ** 2)
    return Math.sqrt(squares.reduce((sum, square) => sum + square, 0) / Math.max(1, seeds.length - 1))
  })
  return { key: cssKey(learner.name), values, spread, dash, width }
}

/** Mean of lists, entry by entry; shorter lists do not count where they end. */
function meanOf(lists: readonly (readonly number[])[]): number[] {
  const length = Math.max(0, ...lists.map((list) => list.length))
  return Array.from({ length }, (_, i) => {
    const present = lists.flatMap((list) => (i < list.length ? [list[i]!] : []))
    return present.reduce((sum, value) => sum + value, 0) / present.length
  })
}

function smooth(values: readonly number[]): number[] {
  return values.map((_, i) => {
    const window = values.slice(Math.max(0, i - WINDOW + 1), i + 1)
    return window.reduce((sum, value) => sum + value, 0) / window.length
  })
}

/** Share of runs in each stage of the lifecycle, and how far the policy may leave the rule. */
function renderStages(ours: AutoscalerSummary, curves: readonly LearningCurve[], xTicks: readonly Tick[]): string {
  const episodes = Math.max(...curves.map(({ stage }) => stage.length))
  const stages = [...new Set(curves.flatMap(({ stage }) => stage))]
  const shareOf = (name: string) =>
    Array.from({ length: episodes }, (_, i) => {
      const present = curves.filter(({ stage }) => i < stage.length)
      return (present.filter(({ stage }) => stage[i] === name).length / present.length) * 100
    })
  const shares = stages.map(shareOf)
  const rows = stages.map((name, i) => {
    const cells = shares[i]!.map((share) => `<i style="opacity:${(share / 100).toFixed(2)}"></i>`).join('')
    return `<div><span>${escapeHtml(name)}</span><div class="strip ${cssKey(ours.name)}">${cells}</div></div>`
  })
  const strip = `<figure class="chart"><figcaption>Stage of ${escapeHtml(ours.label)} <small>share of runs an episode</small></figcaption><div class="stages" role="img" aria-label="Stages of the lifecycle over the learning episodes: ${escapeHtml(stages.join(', '))}">${rows.join('')}</div></figure>`
  const envelopes = curves.flatMap(({ envelope }) => (envelope ? [envelope] : []))
  if (envelopes.length === 0) return strip
  const values = meanOf(envelopes)
  const { width } = styleOf(ours)
  return `${strip}${renderChart({
    title: `Freedom of ${ours.label}`,
    unit: 'half-width of the envelope around the rule',
    description: 'How far the learned policy may leave the rule, mean over runs, over the learning episodes',
    scale: linearScale(0, maxOf([values]), 3),
    xTicks,
    xUnit: 'episodes',
    shape: 'line',
    series: [{ key: cssKey(ours.name), values, dash: '', width }],
  })}`
}
