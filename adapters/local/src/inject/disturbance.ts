/** What a sensor counted: names with units. */
export type DisturbanceTotals = Readonly<Record<string, number>>

/** Something that disturbs a service as strongly as it is told, and counts what it really does. */
export interface Disturbance {
  /** @param level  0 … 1: of the strongest that its kind can do, from now on */
  setLevel(level: number): void
  /** Totals since it started. */
  measure(): DisturbanceTotals
  /** Undoes it; the last totals stay. May be called twice. */
  stop(): Promise<void>
}
