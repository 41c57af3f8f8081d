// The part of the report that says where the gain comes from.
import { fixed, groupsOf, percent, table } from './markdown.mjs'

const WEIGHTS = {
  'trained on all rows': 'mean of the model, all rows',
  'shipped weights, told all rows': 'mean of the model, all rows',
  'shipped weights as they are': 'mean of the model, permissive rows',
}

export function baselinePart(found) {
  const all = found.filter(({ without }) => without.length === 0)
  const left = found.filter(({ without }) => without.length > 0)
  const names = left[0].without.join(' and ')
  return [
    'Ordered by what is known of the prompt or of the model alone, and by predictors; the mean of a model is that of its training rows, or of all of them where it has none there. Both sides of a comparison know the same rows: `train.jsonl.gz`, or those of it that shipped weights may be trained on (5 of the 17 models). Told all rows: each observed once, in the order of the file. Mean JCT against FCFS with the default ageing, without ageing in brackets; order within each model, in the mean over the models.',
    '',
    'All models:',
    '',
    gainTable(all),
    '',
    `Without the two models that answer longest, ${names}:`,
    '',
    gainTable(left),
    '',
    `**What the prompt adds** to the mean of the model: ${Object.keys(WEIGHTS)
      .map((weights) => `${weights}, ${addedBy(found, weights)}`)
      .join('; ')}.`,
  ].join('\n')
}

const workloadsOf = (found) =>
  groupsOf(found, 'arrivals').flatMap((arrivals) =>
    groupsOf(found, 'batching').map((batching) => ({ arrivals, batching })),
  )

const gainOf = (found, by, { arrivals, batching }, policy) =>
  found.find((one) => one.by === by && one.arrivals === arrivals && one.batching === batching && one.policy === policy)
    .meanJctOverFcfs.mean

function gainTable(found) {
  const workloads = workloadsOf(found)
  const rows = groupsOf(found, 'by').map((by) => [
    by,
    fixed(found.find((one) => one.by === by).orderByModel, 3),
    ...workloads.map((workload) => {
      const [aged, unaged] = ['ssjf', 'ssjf-unaged'].map((policy) => percent(gainOf(found, by, workload, policy)))
      return `${aged} (${unaged})`
    }),
  ])
  return table(['by', 'order', ...workloads.map(({ arrivals, batching }) => `${arrivals}, ${batching}`)], rows)
}

/** In how many workloads the weights beat the mean of the model, and the least they add. */
function addedBy(found, weights) {
  const ahead = [true, false].flatMap((isAll) => {
    const of = found.filter(({ without }) => (without.length === 0) === isAll)
    return workloadsOf(of).flatMap((workload) =>
      ['ssjf', 'ssjf-unaged'].map(
        (policy) => gainOf(of, WEIGHTS[weights], workload, policy) - gainOf(of, weights, workload, policy),
      ),
    )
  })
  const better = ahead.filter((points) => points > 0).length
  return `better in ${better} of ${ahead.length} (by ${fixed(100 * Math.min(...ahead))} to ${fixed(100 * Math.max(...ahead))} points)`
}
