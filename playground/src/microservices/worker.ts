import { serveRuns } from '../run/worker-runs.js'
import type { MitigationEvent, MitigationOptions } from './protocol.js'

serveRuns<MitigationOptions, MitigationEvent>({
  recorded: async () => (await import('./recorded.json')).default as unknown as readonly MitigationEvent[],
  async *live(options) {
    yield* (await import('./simulate.js')).simulateMitigation(options)
  },
})
