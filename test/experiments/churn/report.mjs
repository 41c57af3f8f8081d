// docs/results/churn.md and churn.json.
import { CHURN_METHODS } from '@trimtab/studies'

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length
const signed = (change) => `${change > 0 ? '+' : '−'}${Math.abs(change)}`
const percent = (value01) => (100 * value01).toFixed(1).replace('-', '−')
const LARGE = 20 // from here on the shape must be the paper's
const LEAST_DROP = 0.02 // below it nothing can fall
const MOST_SHARED_DROP = 0.01
const SHARED = ['shared', 'corrected']

export function report({ scaleName, scale, teams, cells }) {
  const rows = cells.flatMap(({ spec: { method, tenants, seed }, changes }) =>
    changes.map(({ change, drop01, episodesToRecover }) => ({
      ...{ method, tenants, seed, change, drop01, episodesToRecover },
    })),
  )
  const of = (method, tenants, isMeant = () => true) =>
    rows.filter((row) => row.method === method && row.tenants === tenants && isMeant(row.change))
  const dropOf = (own) => mean(own.map(({ drop01 }) => drop01))
  const text = (own) =>
    own.length === 0 ? '' : `${percent(dropOf(own))} % · ${mean(own.map((row) => row.episodesToRecover)).toFixed(0)}`

  const sizes = teams.map(({ tenants }) => tenants).sort((a, b) => a - b)
  const tables = scale.methods.map((method) => {
    const lines = sizes.map((tenants) => {
      const figures = scale.changes.map((change) => text(of(method, tenants, (other) => other === change)))
      return `| ${tenants} | ${figures.join(' | ')} |`
    })
    return `### ${CHURN_METHODS[method].label}

| N | ${scale.changes.map(signed).join(' | ')} |
| --- | ${scale.changes.map(() => '---').join(' | ')} |
${lines.join('\n')}`
  })

  const joins = (change) => change > 0
  const [small, large] = [sizes[0], sizes.at(-1)]
  const gates = scale.methods.flatMap((method) => {
    if (SHARED.includes(method)) {
      const drops = sizes.filter((tenants) => tenants >= LARGE).map((tenants) => dropOf(of(method, tenants)))
      return {
        what: `${CHURN_METHODS[method].label}: a drop of at most ${percent(MOST_SHARED_DROP)} % from N = ${LARGE} on`,
        isShown: drops.every((drop) => drop <= MOST_SHARED_DROP),
        measured: `${drops.map(percent).join(', ')} %`,
      }
    }
    if (method !== 'scratch') return []
    const drops = sizes.map((tenants) => dropOf(of(method, tenants, joins)))
    return {
      what: `from scratch, a drop where tenants join: of ${percent(LEAST_DROP)} % at least at N = ${small}, and at ${large} at most half of that`,
      isShown: drops[0] >= LEAST_DROP && drops.at(-1) <= drops[0] / 2,
      measured: `${drops.map(percent).join(', ')} %`,
    }
  })
  const isShown = scaleName === 'smoke' || gates.every((gate) => gate.isShown)
  const seeds = teams.map((team) => `${team.seeds.length} at N = ${team.tenants}`).join(', ')
  const markdown = `# Functions that join and leave

How far the reward of a platform's agents in the first five episodes after tenants have joined or left is below that of the last ten before,
and how many episodes it takes until five of them are within 2 % of what the last ten come to (4.8.3 and Table 4.4: a drop of 17.9 % where 5 join 5, less
with more tenants, 3.0 % at least). The hosts have room for all who come, so that those who leave leave more. Simulated.

${gates.map(({ what, isShown: holds, measured }) => `- ${holds ? '✓' : '✗'} ${what}: ${measured}`).join('\n')}

${tables.join('\n\n')}

${scale.episodesBefore} episodes before the changes, which are changes of one team each, and ${scale.episodesAfter} after them. Means over seeds: ${seeds}. Each of
these is judged by the reward that it learns by. Below 0: reward was higher after the change than before it. A drop beside 0 episodes: reward
stayed where it had fallen to, of newcomers from scratch, who learn no more in so few episodes, or of a platform that is another one now: one
policy for all has nothing to learn when tenants join, so that its drop is the platform's.

Command: \`npm run experiment -- churn --scale ${scaleName}\`
`
  const json = {
    scale: scaleName,
    gates,
    cells: rows.map((row) => ({ ...row, drop01: Number(row.drop01.toPrecision(4)) })),
  }
  return { markdown, json, isShown }
}
