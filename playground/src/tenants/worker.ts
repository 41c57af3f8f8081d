import { serveRuns } from '../run/worker-runs.js'
import type { TenantsEvent, TenantsOptions } from './protocol.js'

serveRuns<TenantsOptions, TenantsEvent>({
  recorded: async () => (await import('./recorded.json')).default as unknown as readonly TenantsEvent[],
  async *live(options) {
    yield* (await import('./simulate.js')).simulateTenants(options)
  },
})
