import { FormatError } from '@trimtab/core'
import { SteadyClock, type SteadyClockState } from '../steady-clock.js'
import type { ScaleEvents } from './behavior.js'
import { History } from './history.js'

/** A longer time without a pass counts as this much: no step of the clock outdates a stabilization window at once. */
const MAX_PAUSE_SECONDS = 300

/** What one autoscaler remembers between passes. */
export interface AutoscalerState {
  /** Sizes recommended before stabilization; `undefined` before the first pass. */
  recommendations: History | undefined
  readonly events: ScaleEvents
  /** The autoscaler itself went to zero: only then may it come back. */
  isScaledToZero: boolean
  /** Since when all metrics have asked for zero, on `clock`; `undefined`: they do not. */
  idleSinceSeconds: number | undefined
  /** What the ages of recommendations and events are measured on. */
  readonly clock: SteadyClock
}

type Entries = readonly (readonly [value: number, atSeconds: number])[]

/** What an autoscaler keeps across a restart; plain data. */
export interface AutoscalerCheckpoint {
  readonly recommendations: Entries | undefined
  readonly up: Entries
  readonly down: Entries
  readonly isScaledToZero: boolean
  readonly idleSinceSeconds: number | undefined
  /** `undefined`: there was no pass yet. */
  readonly clock: SteadyClockState | undefined
}

/** A fresh memory: a restarted autoscaler remembers the current size first, so that it does not shrink at once. */
export function createState(): AutoscalerState {
  return {
    recommendations: undefined,
    events: { up: new History(), down: new History() },
    isScaledToZero: false,
    idleSinceSeconds: undefined,
    clock: new SteadyClock(MAX_PAUSE_SECONDS),
  }
}

/** What `loadState` goes on from. */
export function saveState({
  recommendations,
  events,
  isScaledToZero,
  idleSinceSeconds,
  clock,
}: AutoscalerState): AutoscalerCheckpoint {
  return {
    recommendations: recommendations?.save(),
    up: events.up.save(),
    down: events.down.save(),
    isScaledToZero,
    idleSinceSeconds,
    clock: clock.save(),
  }
}

/** A memory that goes on. @throws {FormatError} `autoscaler_state_invalid` */
export function loadState({
  recommendations,
  up,
  down,
  isScaledToZero,
  idleSinceSeconds,
  clock,
}: AutoscalerCheckpoint): AutoscalerState {
  const times = [idleSinceSeconds ?? 0, clock?.lastSeconds ?? 0, clock?.offsetSeconds ?? 0]
  if (!times.every(Number.isFinite))
    throw new FormatError('autoscaler_state_invalid', 'the state of a horizontal autoscaler must be of finite numbers')
  return {
    recommendations: recommendations && historyOf(recommendations),
    events: { up: historyOf(up), down: historyOf(down) },
    isScaledToZero: isScaledToZero === true,
    idleSinceSeconds,
    clock: new SteadyClock(MAX_PAUSE_SECONDS, clock),
  }
}

function historyOf(entries: Entries): History {
  const history = new History()
  for (const [value, atSeconds] of entries) {
    if (!(value >= 0 && Number.isFinite(value) && Number.isFinite(atSeconds)))
      throw new FormatError('autoscaler_state_invalid', `a size of ${value} at ${atSeconds} s is no history`)
    history.append(value, atSeconds)
  }
  return history
}
