// What each page opens with: a run of its own code with the settings that its form has at first, thinned to what a chart can show.

import type { LiveEvent } from '../autoscaling/protocol.js'
import { simulate } from '../autoscaling/simulate.js'
import { simulateMitigation } from '../microservices/simulate.js'
import { simulateTenants } from '../tenants/simulate.js'

const MINUTES_A_POINT = 10

/** By the page's folder. `scripts/make-episodes.mjs` writes them down. */
export const EPISODES: Readonly<Record<string, () => Promise<readonly object[]>>> = {
  autoscaling: async () => {
    const events: LiveEvent[] = []
    const options = { task: 'autoscaling', app: 1, seed: 1, episodes: 0, days: 3, sloFactor: 2 } as const
    for await (const event of simulate({ ...options, resize: 'in-place' })) {
      if (event.type === 'note' || (event.type === 'step' && event.minute % MINUTES_A_POINT > 0)) continue
      events.push(event.type === 'done' ? { type: 'done', outcome: { ...event.outcome, page: undefined } } : event)
    }
    return events
  },
  microservices: () =>
    collect(
      simulateMitigation({ application: 'hotel-reservation', world: 'unlimited', kind: 'all', seconds: 60, seed: 1 }),
    ),
  tenants: () => collect(simulateTenants({ arena: 'standard-12', episodes: 100, seed: 1 })),
}

async function collect<Event>(run: AsyncIterable<Event>): Promise<Event[]> {
  const events: Event[] = []
  for await (const event of run) events.push(event)
  return events
}
