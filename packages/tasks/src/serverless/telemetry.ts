/** What a platform is asked to give one function. */
export interface TenantAllocation {
  /** Containers to have, warm or starting; more than are needed now is prewarming. Whole, clamped to the platform's bounds. */
  containers: number
  /** CPU shares of each container; 1,024 are a core's. */
  shares: number
  /** Containers above `containers` go once they served nothing for so long; 0: at once. */
  keepAliveSeconds: number
}

/** What a platform says of one function about the step just ended. NaN where it is not known. */
export interface TenantTelemetry {
  /** Since the start of the episode. */
  timeSeconds: number
  stepSeconds: number
  /** Requests that came in during the step. */
  arrivals: number
  /** Cores that serving them took or would take: arrivals a second times the CPU work of one. */
  demandCores: number
  /** R: containers that would be busy on average if nothing slowed them, the I/O of requests included. */
  demandContainers: number
  /** Latency from arrival, waits and cold starts included, that 99 % of the step's requests stay below; NaN without a request. */
  p99Ms: number
  sloMs: number
  /** CPU used, cores. */
  usedCores: number
  /** Memory used, and that of one container, busy or not. */
  usedMemoryMiB: number
  memoryMiBPerContainer: number
  /** What is in force: shares of each container, containers asked for, and how long idle ones are kept. */
  shares: number
  containers: number
  keepAliveSeconds: number
  /** Containers that can serve at the end of the step, and those still starting. */
  warmContainers: number
  startingContainers: number
  /** Containers whose start began in the step, whoever wanted them. */
  coldStarts: number
  coldStartSeconds: number
  /** Requests that wait at the end of the step. */
  queued: number
  /** Requests given up in the step because they waited too long. */
  dropped: number
  /** Share of the warm containers' time in which they served. */
  occupancy01: number
  /** Share of a request's time alone that is I/O. */
  ioShare01: number
}

/** Telemetry to be filled; NaN where nothing was measured yet. */
export const createTenantTelemetry = (): TenantTelemetry => ({
  timeSeconds: 0,
  stepSeconds: 10,
  arrivals: 0,
  demandCores: 0,
  demandContainers: 0,
  p99Ms: Number.NaN,
  sloMs: Number.NaN,
  usedCores: Number.NaN,
  usedMemoryMiB: Number.NaN,
  memoryMiBPerContainer: Number.NaN,
  shares: Number.NaN,
  containers: 0,
  keepAliveSeconds: Number.NaN,
  warmContainers: 0,
  startingContainers: 0,
  coldStarts: 0,
  coldStartSeconds: Number.NaN,
  queued: 0,
  dropped: 0,
  occupancy01: Number.NaN,
  ioShare01: Number.NaN,
})

/** A rule that scales one function; an instance knows one function only. */
export interface TenantRule {
  readonly name: string
  /** Fills `out` from the step just ended; deterministic, allocates nothing. */
  decide(telemetry: Readonly<TenantTelemetry>, out: TenantAllocation): void
  /** A new episode starts, or another function takes the place: forget the last one. */
  beginEpisode(): void
}
