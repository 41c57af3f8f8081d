// docs/results/headroom.md and headroom.json.
import { headroomOf, LEARNING_PLATFORMS } from '@trimtab/studies'

export const LEAST_HEADROOM = 0.02
const LEAST_ARENAS = 2

export const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length
const deviation = (values) => {
  const average = mean(values)
  return Math.sqrt(mean(values.map((value) => (value - average) ** 2)))
}
export const over = ({ records }, name) => records.map((record) => record[name])
export const spread = (values, digits = 3) => `${mean(values).toFixed(digits)} ± ${deviation(values).toFixed(digits)}`
export const rounded = (_, value) => (typeof value === 'number' ? Number(value.toPrecision(6)) : value)

const settingsText = (settings) =>
  Object.entries(settings)
    .map(([name, value]) => `${name} ${Number(value.toPrecision(3))}`)
    .join(', ')

function arenaTable(result) {
  const rows = result.rules.map((rule) => {
    const of = (name, digits) => mean(over(rule, name)).toFixed(digits)
    const cells = [
      ...[
        rule.label,
        spread(over(rule, 'score')),
        of('violation01', 3),
        of('worstViolation01', 2),
        of('p99OverSlo', 2),
      ],
      ...[of('shares', 0), of('containers', 2), of('coldStartsPerHour', 1), of('memoryMiB', 0)],
      settingsText(rule.settings),
    ]
    return `| ${cells.join(' | ')} |`
  })
  return `### ${result.name}: ${result.label}

| rule | J | violations | worst tenant | p99 / SLO | shares | containers | cold starts/h | memory held, MiB | settings |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
${rows.join('\n')}`
}

export function report({ scaleName, scale, results }) {
  const judged = results.map((result) => ({ result, ...headroomOf(result) }))
  const roomy = judged.filter(({ headroom }) => headroom >= LEAST_HEADROOM)
  const isShown = scaleName === 'smoke' || roomy.length >= LEAST_ARENAS
  const rows = judged.map(({ result, best, clairvoyant, gains, headroom }) => {
    const cells = [
      ...[result.name, best.label, spread(over(best, 'score')), clairvoyant.label, spread(over(clairvoyant, 'score'))],
      ...[spread(gains), headroom >= LEAST_HEADROOM ? '**a learner is judged here**' : 'control'],
    ]
    return `| ${cells.join(' | ')} |`
  })
  const markdown = `# Headroom: where a learner can gain anything

What knowing the load would gain over the best tuned rule, in arenas that were fixed before any learner ran. J = r − .3 · violations,
r = .7 SP + .3 mean RU, a mean over steps and tenants. A rule that knows the load is shown the largest true demand of the steps to
come in place of what was measured, and tuned anew; of busy functions it knows the mean, not the chance of arrivals. Where that gains
less than ${LEAST_HEADROOM}, the load holds nothing to learn: those arenas are controls.

| arena | best rule | J | knows the load | J | headroom | |
| --- | --- | --- | --- | --- | --- | --- |
${rows.join('\n')}

${roomy.length} of ${results.length} arenas have a headroom of ${LEAST_HEADROOM} or more.

## Every rule

${results.map(arenaTable).join('\n\n')}

Figures are means over platforms ± their standard deviation. The worst tenant is the one with the most violations; shares are those of
a container; containers, cold starts and memory are those of a tenant.

## Setting

Rules are tuned once for each arena by the same seeded search, on ${LEARNING_PLATFORMS.length} platforms of its own with ${scale.trainEpisodes} episodes each; judged on
${scale.seeds.length} platforms (seeds ${scale.seeds.join(', ')}) with other loads, ${scale.testEpisodes} episodes each. The best rule is the
one that did best where it was judged, and the clairvoyant the one that did best in training: neither choice flatters the headroom.

Command: \`npm run experiment -- headroom --scale ${scaleName}\`
`
  const json = {
    scale: scaleName,
    arenas: judged.map(({ result, best, clairvoyant, gains, headroom }) => ({
      ...{ ...result, rules: result.rules.map(({ validation: _, ...rule }) => rule) },
      ...{ best: best.name, clairvoyant: clairvoyant.name, gains, headroom },
    })),
  }
  return { markdown, json: JSON.parse(JSON.stringify(json, rounded)), isShown }
}
