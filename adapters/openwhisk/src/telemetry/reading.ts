/** What one action did over a stretch of time. NaN: not known, which is never 0. */
export interface ActionSample {
  /** Activations that ended. */
  readonly activations: number
  /** Time that containers were busy with them, initialisation included: over the seconds, containers busy on average. */
  readonly busySeconds: number
  /** From arrival to end, that 99 % of them stay below; NaN too where there were none. */
  readonly p99Ms: number
  readonly coldStarts: number
  /** Mean initialisation of those; NaN too where there were none. */
  readonly initSeconds: number
}

/** What actions did since the last look. */
export interface TelemetryReading {
  /** How long that is; NaN: not known, and neither is anything else. */
  readonly seconds: number
  /** What an action did; undefined: nothing is known of it. */
  of(action: string): ActionSample | undefined
}

/** Where telemetry comes from. */
export interface TelemetrySource {
  /**
   * What actions did since the last call that gave something; the first one begins the count.
   * @throws {AdapterError} nothing was seen: the next one covers this time too
   */
  read(signal?: AbortSignal): Promise<TelemetryReading>
  /** An activation is none of the load. */
  ignore?(activationId: string): void
}

/** Nothing is known. */
export const UNKNOWN: TelemetryReading = { seconds: Number.NaN, of: () => undefined }
