// The part of the reports that all meta experiments share: what was run, a row a method, what the gate asks.
import { CONTROLS, METHODS } from './methods.mjs'

const percent = (x, digits = 1) => `${(100 * x).toFixed(digits)} %`
const number = (x, digits = 1) => x.toFixed(digits)

/** Median [quartiles over apps] (range of the seeds' medians). */
const shown = ({ median, quartiles, seeds }, unit) =>
  `**${unit(median)}** [${quartiles.map((x) => unit(x)).join(' – ')}] (${seeds.map((x) => unit(x)).join(' – ')})`

export function methodTable(figures, methods) {
  const rows = methods.map((name) => {
    const { drop0, drop1, drop4, final, episodes, never } = figures[name]
    const drops = [drop0, drop1, drop4, final].map((drop) => shown(drop, percent))
    return `| ${METHODS[name]?.title ?? name} | ${drops.join(' | ')} | ${shown(episodes, number)} | ${percent(never, 0)} |`
  })
  return [
    '| method | drop at 0 | after 1 episode | after 4 | at the end | episodes to 95 % | never |',
    '| --- | --- | --- | --- | --- | --- | --- |',
    ...rows,
  ].join('\n')
}

/** Seeds of the gate scale: designs were chosen on 0, 1, 2, so these give the final figures. */
export const FRESH_SEEDS = [10, 11, 12]

/**
 * The figures of the control of a kind that does best in one of them, and its title.
 * @param kind  of `CONTROLS`
 * @param of  the figure, smaller is better
 */
export function strongestControl(figures, kind, of) {
  const present = CONTROLS[kind].filter((name) => name in figures)
  const name = present.reduce((best, one) => (of(figures[one]) < of(figures[best]) ? one : best))
  return { ...figures[name], title: METHODS[name].title }
}

export const medianDrop1 = ({ drop1 }) => drop1.median
export const medianEpisodes = ({ episodes }) => episodes.median
export const shareNever = ({ never }) => never

/** A gate: what is asked, what was measured, whether it holds. `paper` is what the papers print beside it. */
export const gateTable = (gates) =>
  [
    '| figure | gate | ours | paper | |',
    '| --- | --- | --- | --- | --- |',
    ...gates.map(({ figure, gate, ours, paper, holds }) => {
      const verdict = holds === undefined ? 'reported' : holds ? 'holds' : '**missed**'
      return `| ${figure} | ${gate} | ${ours} | ${paper} | ${verdict} |`
    }),
  ].join('\n')

/** The protocol, in words, once for all. */
export const protocolText = (study) =>
  [
    `Task \`${study.task}\`. Seeds ${study.seeds.join(', ')}: for each a pool of ${study.pool} pairs and ${study.apps} apps`,
    `that are in no pool. The shared policies were pretrained for ${study.rounds} rounds of one episode of each pair.`,
    ...(study.sources > 0
      ? [
          `Transfer learning (TL) starts from one of ${study.sources} apps of the pool, trained alone for ${study.sourceEpisodes} episodes.`,
        ]
      : []),
    ...(study.seeds.every((seed) => FRESH_SEEDS.includes(seed))
      ? [
          'Designs were chosen on seeds 0, 1, 2; these had not been looked at. A gate holds against the control of its kind that does best.',
        ]
      : []),
    'Every policy is judged without noise on the same four episodes before each of its own; R\\* is the best that any method or',
    'constant action reached on the app. Adapted: the first of three evaluations in a row that average 95 % of R\\*; an app that',
    `never gets there within ${study.cap} episodes counts ${study.cap}. The random first episode of a learned embedding counts as one.`,
    'Figures: **median** over all apps [quartiles] (smallest – largest median of a seed).',
  ].join('\n')

/** Markdown and JSON of one experiment. */
export function report({ title, lead, scaleName, study, result, gates, notes = [] }) {
  const isShown = scaleName === 'smoke' || gates.every(({ holds }) => holds !== false)
  const markdown = `${[
    `# ${title}`,
    lead,
    gateTable(gates),
    '## Every method',
    methodTable(result.figures, study.methods),
    ...notes,
    '## Setting',
    protocolText(study),
    `Command: \`npm run experiment -- ${study.name} --scale ${scaleName}\``,
  ].join('\n\n')}\n`
  return { markdown, json: { scale: scaleName, study, gates, ...result }, isShown }
}

export { number, percent, shown }
