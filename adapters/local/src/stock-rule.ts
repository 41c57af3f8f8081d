import type { TenantAllocation, TenantRule, TenantTelemetry } from '@trimtab/tasks/serverless'

/** What OpenWhisk does by itself: containers come with the requests that wait for them, and idle ones are kept for a fixed time. */
export class StockRule implements TenantRule {
  readonly name = 'stock'
  readonly #keepAliveSeconds: number

  /** @param keepAliveSeconds  OpenWhisk's own is ten minutes */
  constructor(keepAliveSeconds = 600) {
    this.#keepAliveSeconds = keepAliveSeconds
  }

  decide(_: Readonly<TenantTelemetry>, out: TenantAllocation): void {
    out.containers = 0
    out.keepAliveSeconds = this.#keepAliveSeconds
  }

  beginEpisode(): void {
    // it remembers nothing
  }
}
