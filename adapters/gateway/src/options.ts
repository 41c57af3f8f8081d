import { Problems } from '@trimtab/core'

/** Limits of the HTTP side. All have defaults that suit a server of language models. */
export interface GatewayLimits {
  /** A larger body is refused with 413; default 16 MiB. */
  readonly maxBodyBytes?: number
  /** What all requests that wait or run may hold; beyond it 429. Default 512 MiB. */
  readonly maxBufferedBytes?: number
  /** Silence of the upstream after which it is given up with 504; default 600,000 (what OpenAI's clients wait). */
  readonly upstreamTimeoutMs?: number
  /** A client that reads nothing for so long loses its place at the upstream; default 60,000. */
  readonly clientTimeoutMs?: number
  /** A request that has not started after so long is given up with 504; default: never. `x-trimtab-deadline-ms` may ask for less. */
  readonly deadlineMs?: number
  /**
   * How long a request that no upstream has taken yet is held: refused connections, and 429 or 503 with `Retry-After`. Then its client gets
   * the refusal. Default 30,000; 0: at once.
   */
  readonly upstreamWaitMs?: number
  /** A path of the upstreams that answers 2xx when they are well, asked every 5 s; default: only refused connections tell. */
  readonly healthPath?: string
  /** The header that names a tenant, in lower case; default: a hash of the API key. */
  readonly tenantHeader?: string
  /** At most so many requests of a tenant wait, the next one gets 429; default: any number. Those without a name are one tenant. */
  readonly tenantCapacity?: number
  /** `/metrics` needs `Authorization: Bearer TOKEN` then. Without one it answers only where the gateway listens on loopback. */
  readonly metricsToken?: string
}

export interface ResolvedLimits {
  readonly maxBodyBytes: number
  readonly maxBufferedBytes: number
  readonly upstreamTimeoutMs: number
  readonly clientTimeoutMs: number
  readonly deadlineMs: number | undefined
  readonly upstreamWaitMs: number
  readonly healthPath: string | undefined
  readonly tenantHeader: string | undefined
  readonly tenantCapacity: number
  readonly metricsToken: string | undefined
}

const LONGEST_TIMER = 2 ** 31 - 1

/** @throws {ConfigError} `config_invalid` with every problem */
export function resolveLimits(limits: GatewayLimits): ResolvedLimits {
  const resolved: ResolvedLimits = {
    maxBodyBytes: limits.maxBodyBytes ?? 16 * 1024 * 1024,
    maxBufferedBytes: limits.maxBufferedBytes ?? 512 * 1024 * 1024,
    upstreamTimeoutMs: limits.upstreamTimeoutMs ?? 600_000,
    clientTimeoutMs: limits.clientTimeoutMs ?? 60_000,
    deadlineMs: limits.deadlineMs,
    upstreamWaitMs: limits.upstreamWaitMs ?? 30_000,
    healthPath: limits.healthPath,
    tenantHeader: limits.tenantHeader?.toLowerCase(),
    tenantCapacity: limits.tenantCapacity ?? Number.POSITIVE_INFINITY,
    metricsToken: limits.metricsToken,
  }
  const problems = new Problems()
  for (const name of ['maxBodyBytes', 'maxBufferedBytes'] as const) {
    const value = resolved[name]
    problems.check(Number.isSafeInteger(value) && value > 0, `${name} must be a whole number above 0, got ${value}`)
  }
  for (const name of ['upstreamTimeoutMs', 'clientTimeoutMs', 'deadlineMs'] as const) {
    const value = resolved[name] ?? 1
    problems.check(
      value > 0 && value <= LONGEST_TIMER,
      `${name} must be above 0 and at most ${LONGEST_TIMER}, got ${value}`,
    )
  }
  const { upstreamWaitMs, healthPath, tenantCapacity, metricsToken } = resolved
  problems.check(
    upstreamWaitMs >= 0 && upstreamWaitMs <= LONGEST_TIMER,
    `upstreamWaitMs must be from 0 to ${LONGEST_TIMER}, got ${upstreamWaitMs}`,
  )
  problems.check(
    healthPath === undefined || /^\/[!-~]*$/.test(healthPath),
    `healthPath must be a path as /health, got ${JSON.stringify(healthPath)}`,
  )
  problems.check(tenantCapacity >= 1, `tenantCapacity must be above 0, got ${tenantCapacity}`)
  problems.check(metricsToken === undefined || /^[!-~]+$/.test(metricsToken), 'metricsToken must be visible ASCII')
  problems.throwIfAny('gateway')
  return resolved
}
