import { Problems } from '@trimtab/core'
import type { KubernetesClient } from './client.js'
import { hasCode } from './errors.js'
import { sleep } from './http/backoff.js'
import { LEASES } from './resource.js'
import type { Lease } from './types.js'

/** Which lease, who asks for it, and how long it holds. */
export interface LeaderOptions {
  readonly namespace: string
  readonly name: string
  /** Unlike that of any other replica: the name of the pod. */
  readonly identity: string
  /** A lease that was not renewed for so long is free; default 15. */
  readonly leaseSeconds?: number
  /** Who could not renew for so long stops leading, before others may start; default two thirds of the lease. */
  readonly renewSeconds?: number
  /** Between two looks at the lease; default an eighth of the lease. */
  readonly retrySeconds?: number
}

/**
 * One of several replicas leads. As in client-go nobody's wall clock is believed: a lease is free when *we* have seen it unchanged for its
 * whole length, so clocks that are minutes apart make no second leader.
 */
export class LeaderElection {
  readonly #client: KubernetesClient
  readonly #options: Required<LeaderOptions>
  #seen: { readonly lease: Lease; readonly atMs: number } | undefined

  /** @throws {ConfigError} `config_invalid` */
  constructor(client: KubernetesClient, options: LeaderOptions) {
    const { leaseSeconds = 15, identity } = options
    const { renewSeconds = (leaseSeconds * 2) / 3, retrySeconds = leaseSeconds / 8 } = options
    const problems = new Problems()
    problems.checkKeys(
      options,
      ['namespace', 'name', 'identity', 'leaseSeconds', 'renewSeconds', 'retrySeconds'],
      'options',
    )
    problems.check(identity !== '', 'identity must not be empty (the name of the pod is one)')
    problems.check(leaseSeconds >= 1, `leaseSeconds must be at least 1, got ${leaseSeconds}`)
    problems.check(
      renewSeconds < leaseSeconds,
      `renewSeconds must be below leaseSeconds (${leaseSeconds}), got ${renewSeconds}`,
    )
    const isInTime = retrySeconds > 0 && retrySeconds * 1.25 < renewSeconds // pauses are up to a quarter longer
    problems.check(
      isInTime,
      `retrySeconds must be above 0 and well below renewSeconds (${renewSeconds}), got ${retrySeconds}`,
    )
    problems.throwIfAny('leader election')
    this.#client = client
    this.#options = { ...options, leaseSeconds, renewSeconds, retrySeconds }
  }

  /** Who holds the lease, as last seen. */
  get leader(): string | undefined {
    return this.#seen?.lease.spec?.holderIdentity || undefined
  }

  /**
   * Leads whenever the lease can be had, until `signal` is aborted; gives the lease back then.
   * @param lead  its signal is aborted as soon as this replica may no longer lead; the lease is not asked for again before it returns
   */
  async run(lead: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      if (await this.#tryToHold(signal)) await this.#leadOnce(lead, signal)
      else await this.#pause(signal)
    }
  }

  async #leadOnce(lead: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void> {
    const term = new AbortController()
    const held = AbortSignal.any([signal, term.signal])
    const renewMs = this.#options.renewSeconds * 1000
    let expiry = setTimeout(() => term.abort(), renewMs)
    const leading = lead(held).finally(() => term.abort())
    leading.catch(() => {}) // told by the await below
    try {
      for (;;) {
        await this.#pause(held)
        if (held.aborted) break
        const startedMs = performance.now() // others count from the write, which is no earlier
        if (await this.#tryToHold(held)) {
          clearTimeout(expiry)
          expiry = setTimeout(() => term.abort(), renewMs - (performance.now() - startedMs))
        } else if (this.leader !== this.#options.identity) term.abort()
      }
      await leading
    } finally {
      clearTimeout(expiry)
      await this.#giveBack()
    }
  }

  /** Takes or renews the lease; false: somebody else has it, or the server could not be asked. */
  async #tryToHold(signal: AbortSignal): Promise<boolean> {
    const { namespace, name, identity } = this.#options
    try {
      const lease = await this.#client.get(LEASES, { namespace, name }, { signal })
      if (lease.metadata?.resourceVersion !== this.#seen?.lease.metadata?.resourceVersion)
        this.#seen = { lease, atMs: performance.now() }
      const { holderIdentity, leaseDurationSeconds = 0 } = lease.spec ?? {}
      const isOurs = holderIdentity === identity
      const isFree = !holderIdentity || performance.now() - this.#seen!.atMs > leaseDurationSeconds * 1000
      if (!isOurs && !isFree) return false
      this.#note(await this.#client.replace(LEASES, { ...lease, spec: this.#record(lease, isOurs) }, { signal }))
      return true
    } catch (error) {
      if (!(error instanceof Error)) throw error
      if (!hasCode(error, 'api_not_found')) return false // asked again after a pause; the deadline decides
      return this.#make(signal)
    }
  }

  async #make(signal: AbortSignal): Promise<boolean> {
    const { namespace, name } = this.#options
    try {
      const spec = this.#record(undefined, false)
      this.#note(await this.#client.create(LEASES, { metadata: { namespace, name }, spec }, { signal }))
      return true
    } catch {
      return false // somebody was faster, or the server could not be asked: seen at the next look
    }
  }

  #record(lease: Lease | undefined, isOurs: boolean): NonNullable<Lease['spec']> {
    const { identity, leaseSeconds } = this.#options
    const now = new Date().toISOString().replace('Z', '000Z') // microseconds, as the field wants them
    const before = lease?.spec
    return {
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(leaseSeconds),
      renewTime: now,
      acquireTime: isOurs ? (before?.acquireTime ?? now) : now,
      leaseTransitions: (before?.leaseTransitions ?? 0) + (isOurs || lease === undefined ? 0 : 1),
    }
  }

  /** The next replica need not wait for the lease to run out. A renewal may have been cut off and carried out all the same: it is read anew. */
  async #giveBack(): Promise<void> {
    const { namespace, name, identity } = this.#options
    try {
      for (let tries = 0; tries < 3; tries++) {
        const lease = await this.#client.get(LEASES, { namespace, name })
        if (lease.spec?.holderIdentity !== identity) return
        const spec = { ...lease.spec, holderIdentity: '', leaseDurationSeconds: 1 }
        const isOver = await this.#client.replace(LEASES, { ...lease, spec }).then(
          () => true,
          (error) => !hasCode(error, 'api_conflict'),
        )
        if (isOver) return
      }
    } catch {
      // the server cannot be asked: the lease runs out by itself
    }
  }

  #note(lease: Lease): void {
    this.#seen = { lease, atMs: performance.now() }
  }

  /** Up to a quarter longer by chance, so that replicas do not ask in step. */
  async #pause(signal: AbortSignal): Promise<void> {
    const milliseconds = this.#options.retrySeconds * 1000 * (1 + this.#client.random.uniform() / 4)
    await sleep(milliseconds, signal).catch(() => {})
  }
}
