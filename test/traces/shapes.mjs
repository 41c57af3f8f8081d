// Single traces of a given shape and size, for questions of growth: one trace, any number of spans.
import { Random } from '@trimtab/core'
import { schedule } from './schedule.mjs'

const ORIGIN_US = 1_700_000_000_000_000

const SERVICES = ['gateway', 'sessions', 'catalogue', 'pricing', 'stock', 'basket', 'payments', 'dispatch']
const OPERATIONS = ['Find', 'FindMany', 'Reserve', 'Release', 'Estimate', 'Validate', 'Refresh', 'Publish']

function call(random, parent, stage, { gapUs, delayUs = 0 }) {
  const service = SERVICES[random.integer(SERVICES.length)]
  const operation = OPERATIONS[random.integer(OPERATIONS.length)]
  return {
    parent,
    stage,
    gapUs,
    delayUs,
    isBackground: false,
    service,
    operation: `depot.v1.${service}.Service/${operation}`,
    kind: 'server',
    instance: `${service}-${random.integer(3)}`,
    isError: false,
  }
}

/** Every call makes 4 to 8 more, each beside the one before it or after it, at even odds. */
function tree(random, size) {
  const calls = [call(random, -1, 0, { gapUs: 20 })]
  for (let parent = 0; calls.length < size; parent++) {
    const fanOut = Math.min(4 + random.integer(5), size - calls.length)
    for (let i = 0, stage = 0; i < fanOut; i++) {
      if (i > 0 && random.integer(2) === 0) stage++
      calls.push(call(random, parent, stage, { gapUs: 5 + random.integer(200), delayUs: random.integer(50) }))
    }
  }
  return calls
}

/** Every call makes one more. */
const chain = (random, size) =>
  Array.from({ length: size }, (_, i) => call(random, i - 1, 0, { gapUs: 1 + random.integer(20) }))

/** The root makes all the calls, one after the other. */
const sequential = (random, size) =>
  Array.from({ length: size }, (_, i) => call(random, i === 0 ? -1 : 0, i, { gapUs: 1 + random.integer(20) }))

/** The root makes all the calls within the time that one of them takes. */
const overlapping = (random, size) =>
  Array.from({ length: size }, (_, i) =>
    call(random, i === 0 ? -1 : 0, 0, {
      gapUs: size + random.integer(2 * size),
      delayUs: i === 0 ? 0 : random.integer(size),
    }),
  )

const PLANS = { tree, chain, sequential, overlapping }

export const SHAPES = Object.keys(PLANS)

/** The order in which spans reach a file means nothing, so it is any order here. */
function shuffle(random, items) {
  for (let i = items.length - 1; i > 0; i--) {
    const j = random.integer(i + 1)
    ;[items[i], items[j]] = [items[j], items[i]]
  }
  return items
}

/**
 * @param shape  one of `SHAPES`
 * @param size   number of spans, the root included
 * @returns the spans of one trace, shuffled; the same for the same seed on every engine
 */
export function shapedTrace(core, shape, size, seed) {
  const random = new Random(core, seed)
  try {
    return shuffle(random, schedule(random, PLANS[shape](random, size), ORIGIN_US))
  } finally {
    random.dispose()
  }
}
