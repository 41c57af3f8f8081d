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
  /** The header that names a tenant, in lower case; default: a hash of the API key. */
  readonly tenantHeader?: string
}

export interface ResolvedLimits {
  readonly maxBodyBytes: number
  readonly maxBufferedBytes: number
  readonly upstreamTimeoutMs: number
  readonly clientTimeoutMs: number
  readonly deadlineMs: number | undefined
  readonly tenantHeader: string | undefined
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
    tenantHeader: limits.tenantHeader?.toLowerCase(),
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
  problems.throwIfAny('gateway')
  return resolved
}
