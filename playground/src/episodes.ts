// What each page opens with: a run of its own code with the settings that its form has at first, thinned to what a chart can show.
import { metaPresets } from 'trimtab/learn'
import { pretrain } from 'trimtab/studies'
import { findTask } from 'trimtab/tasks'
import { simulateAdaptation } from './adaptation/simulate.js'
import type { LiveEvent } from './autoscaling/protocol.js'
import { simulate } from './autoscaling/simulate.js'
import { simulateMitigation } from './microservices/simulate.js'
import type { RunEvent } from './run/protocol.js'
import { simulateTenants } from './tenants/simulate.js'
import { createAnalyst } from './traces/analyst.js'
import { changeOf, type FromWorker } from './traces/protocol.js'
import { OPENING, OPENING_SPEED_UP } from './traces/samples.js'

const MINUTES_A_POINT = 10
const SEED = 1

/** By the page's folder. `scripts/make-episodes.mjs` writes them down. @param pool  what `pretrainPool` gave */
export const EPISODES: Readonly<Record<string, (pool: Uint8Array) => Promise<readonly RunEvent[]>>> = {
  autoscaling: async () => {
    const options = { task: 'autoscaling', app: 1, seed: SEED, episodes: 0, days: 3, sloFactor: 2 } as const
    const events = await collect<LiveEvent>(simulate({ ...options, resize: 'in-place' }))
    return events
      .filter((event) => event.type !== 'step' || event.minute % MINUTES_A_POINT === 0)
      .map((event) =>
        event.type === 'done' ? { type: 'done', outcome: { ...event.outcome, page: undefined } } : event,
      )
  },
  microservices: () =>
    collect(
      simulateMitigation({
        application: 'hotel-reservation',
        ...{ world: 'unlimited', kind: 'all', seconds: 60, seed: SEED },
      }),
    ),
  tenants: () => collect(simulateTenants({ arena: 'standard-12', episodes: 100, seed: SEED })),
  traces: async () => {
    const told: FromWorker[] = []
    const answer = createAnalyst((message) => told.push(message))
    await answer({ type: 'analyse', question: OPENING })
    const { report, services } = told.find(({ type }) => type === 'done') as Extract<FromWorker, { type: 'done' }>
    await answer({ type: 'what-if', change: changeOf(report.services[0]!, OPENING_SPEED_UP) })
    return [{ type: 'done', report, services } as RunEvent, told.at(-1)!]
  },
  adaptation: (pool) => collect(simulateAdaptation(pool, { app: 1, episodes: 12, seed: SEED })),
}

/** A recorded run as it lies in its file, numbers in four digits. */
export const recordedText = (events: readonly RunEvent[]): string =>
  `${JSON.stringify(events, (_, value) => (typeof value === 'number' ? Number(value.toPrecision(4)) : value))}\n`

/** The policy and the encoder that the page of adaptation adapts. @returns the model's file */
export async function pretrainPool(): Promise<Uint8Array> {
  const setup = { task: 'autoscaling', first: 200, pairs: 24, rounds: 25, meta: metaPresets.set, seed: SEED }
  return (await pretrain(findTask('autoscaling'), setup)).save()
}

/** Without notes, which tell what is being waited for. */
async function collect<Event extends RunEvent>(run: AsyncIterable<Event>): Promise<Event[]> {
  const events: Event[] = []
  for await (const event of run) if (event.type !== 'note') events.push(event)
  return events
}
