import { serveRuns } from '../run/worker-runs.js'
import type { AdaptationEvent, AdaptationOptions } from './protocol.js'

serveRuns<AdaptationOptions, AdaptationEvent>({
  recorded: async () => (await import('./recorded.json')).default as unknown as readonly AdaptationEvent[],
  async *live(options) {
    const [{ simulateAdaptation }, file] = await Promise.all([
      import('./simulate.js'),
      fetch(new URL('./pool.safetensors', import.meta.url)),
    ])
    yield* simulateAdaptation(new Uint8Array(await file.arrayBuffer()), options)
  },
})
