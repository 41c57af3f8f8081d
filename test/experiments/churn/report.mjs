// docs/results/churn.md and churn.json.
import { CHURN_METHODS } from '@trimtab/studies'

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length
const signed = (change) => `${change > 0 ? '+' : '−'}${Math.abs(change)}`
const percent = (value01) => (100 * value01).toFixed(1)
const LARGE = 20 // from here on the shape must be the paper's
const LEAST_DROP = 0.02 // below it nothing can fall
const SHARED = ['shared', 'corrected']

export function report({ scaleName, scale, cells }) {
  const of = (wanted) => cells.filter(({ spec }) => Object.entries(wanted).every(([key, value]) => spec[key] === value))
  const figures = (wanted) => {
    const own = of(wanted)
    if (own.length === 0) return undefined
    return { drop01: mean(own.map(({ drop01 }) => drop01)), episodes: mean(own.map((one) => one.episodesToRecover)) }
  }
  const text = (found) => (found ? `${percent(found.drop01)} % · ${found.episodes.toFixed(0)}` : '')
  const tables = scale.methods.map((method) => {
    const rows = scale.tenants.map(
      (tenants) =>
        `| ${tenants} | ${scale.changes.map((change) => text(figures({ method, tenants, change }))).join(' | ')} |`,
    )
    return `### ${CHURN_METHODS[method].label}

| N | ${scale.changes.map(signed).join(' | ')} |
| --- | ${scale.changes.map(() => '---').join(' | ')} |
${rows.join('\n')}`
  })
  const dropAt = (method, tenants) => figures({ method, tenants })?.drop01 ?? Number.NaN
  const [small, large] = [scale.tenants[0], scale.tenants.at(-1)]
  const gates = [
    ...scale.methods
      .filter((method) => method === 'scratch')
      .map((method) => ({
        what: `from scratch, there is a drop at N = ${small}, of 2 % at least, and at ${large} at most half of it`,
        isShown: dropAt(method, small) >= LEAST_DROP && dropAt(method, large) <= dropAt(method, small) / 2,
        measured: `${percent(dropAt(method, small))} → ${percent(dropAt(method, large))} %`,
      })),
    ...scale.methods
      .filter((method) => SHARED.includes(method))
      .map((method) => {
        const drops = scale.tenants.filter((tenants) => tenants >= LARGE).map((tenants) => dropAt(method, tenants))
        return {
          what: `${CHURN_METHODS[method].label}: at most 1 % from N = ${LARGE} on`,
          isShown: drops.every((drop) => drop <= 0.01),
          measured: `${drops.map(percent).join(', ')} %`,
        }
      }),
  ]
  const apart = scale.methods.map((method) => {
    const spreads = scale.tenants.flatMap((tenants) =>
      scale.changes.map((change) => {
        const drops = of({ method, tenants, change }).map(({ drop01 }) => drop01)
        return drops.length > 1 ? Math.max(...drops) - Math.min(...drops) : Number.NaN
      }),
    )
    return `${CHURN_METHODS[method].label}: ${percent(mean(spreads.filter((spread) => !Number.isNaN(spread))))} points`
  })
  const isShown = scaleName === 'smoke' || gates.every((gate) => gate.isShown)
  const markdown = `# Functions that join and leave

How far the reward of a platform's agents is below what they settle at, in the first five episodes after tenants have joined or left,
and how many episodes it takes until five of them are within 2 % of that (Table 4.4: 17.9 % at N = 5, 5.9 % at 110). The hosts have
room for those that come. Simulated.

${gates.map(({ what, isShown: holds, measured }) => `- ${holds ? '✓' : '✗'} ${what}: ${measured}`).join('\n')}

${tables.join('\n\n')}

${scale.seeds.length > 1 ? `Seeds of one cell are apart by, on average: ${apart.join('; ')}.\n` : ''}
A figure below 0: in the first five episodes after the change reward was higher than at the end. The first three of these four lose reward while they go on
learning on large platforms ([tenants](tenants.md)), so that the end is no level that a drop could be measured by.

Means over seeds ${scale.seeds.join(', ')}; ${scale.episodesBefore} episodes before the change, ${scale.episodesAfter} after it. Each of these four is judged by the reward that it
learns by.

Command: \`npm run experiment -- churn --scale ${scaleName}\`
`
  const json = {
    scale: scaleName,
    gates,
    cells: cells.map(({ spec, drop01, episodesToRecover }) => ({
      ...{ method: spec.method, tenants: spec.tenants, change: spec.change, seed: spec.seed },
      ...{ drop01: Number(drop01.toPrecision(4)), episodesToRecover },
    })),
  }
  return { markdown, json, isShown }
}
