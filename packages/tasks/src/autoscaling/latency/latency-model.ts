import type { Application } from '../application.js'

/** Latency of one replica as a closed form: `prepare` for a rate and a limit, then ask for quantiles. Allocates nothing. */
export interface LatencyModel {
  /** Work arriving per second over the limit; 1 and above is overload. */
  readonly utilisation: number
  /** Mean wait for a free core, seconds; capped by what one window can build up. */
  readonly meanWaitSeconds: number
  /** Mean time in service without waiting, seconds. */
  readonly serviceSeconds: number
  /**
   * @param ratePerSecond  requests per second at this replica
   * @param cores          its CPU limit
   * @param windowSeconds  how long this has been going on: the stationary formula explodes near saturation, a window does not
   */
  prepare(application: Application, ratePerSecond: number, cores: number, windowSeconds: number): void
  /**
   * The latency that a share `p` of requests stays below, seconds.
   * @param p       0 < p < 1
   * @param normal  the standard normal's p-quantile (2.326 for 0.99)
   */
  quantile(p: number, normal: number): number
}
