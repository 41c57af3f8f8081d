import { Informer, LEASES, type Lease } from '@trimtab/kubernetes'
import type { OperatorContext } from '../context.js'
import { nameOf } from '../names.js'

const DEFAULT_SECONDS = 60

/**
 * Whether the admission webhook serves: its lease is being renewed, as we see it by our own clock. A pod that is evicted while nobody
 * sizes the next one would come back as it was.
 */
export class WebhookLease {
  readonly #context: OperatorContext
  readonly #informer: Informer<Lease>
  #renewed: { readonly version: string; readonly atMs: number | undefined } | undefined

  constructor(context: OperatorContext) {
    this.#context = context
    const { client, namespace } = context
    this.#informer = new Informer(client, LEASES, {
      namespaces: [namespace],
      fieldSelector: `metadata.name=${nameOf('admission')}`,
    })
    this.#informer.listen({ onChange: ({ type, object }) => this.#see(type === 'deleted' ? undefined : object) })
  }

  /** Follows the lease until `signal` is aborted. */
  run(signal: AbortSignal): Promise<void> {
    return this.#informer.run(signal)
  }

  /** Why it does not serve, as far as we know; undefined: it does. */
  get outage(): string | undefined {
    const { namespace, clock } = this.#context
    const name = nameOf('admission')
    const lease = this.#informer.get({ namespace, name })
    if (lease === undefined) return `there is no lease ${name} in ${namespace}`
    const { atMs } = this.#renewed ?? {}
    if (atMs === undefined) return `lease ${name} was not renewed since we look`
    const { leaseDurationSeconds = DEFAULT_SECONDS } = lease.spec ?? {}
    const silentMs = clock.now() - atMs
    return silentMs <= leaseDurationSeconds * 1000
      ? undefined
      : `lease ${name} was not renewed for ${Math.round(silentMs / 1000)} s`
  }

  /** What was there when we came says nothing of now. */
  #see(lease: Lease | undefined): void {
    const version = lease?.spec?.renewTime ?? ''
    if (version === this.#renewed?.version) return
    const isRenewal = lease !== undefined && this.#renewed !== undefined
    this.#renewed = { version, atMs: isRenewal ? this.#context.clock.now() : undefined }
  }
}
