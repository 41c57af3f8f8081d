import { serveRuns } from '../run/worker-runs.js'
import type { LiveEvent, LiveOptions } from './protocol.js'

serveRuns<LiveOptions, LiveEvent>({
  recorded: async () => (await import('./recorded.json')).default as readonly LiveEvent[],
  async *live(options) {
    if (options.task === 'autoscaling') yield* (await import('./simulate.js')).simulate(options)
    else yield* (await import('./compare.js')).compareLive(options)
  },
})
