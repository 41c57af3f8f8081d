import { type Core, Random } from '@trimtab/core'

/** What a setting may be. */
export interface SettingRange {
  readonly low: number
  readonly high: number
  /** Tried evenly in the logarithm; `low` is above 0. */
  readonly isLogarithmic?: boolean
  readonly isWhole?: boolean
}

/** A range for each setting. */
export type SettingRanges<Settings> = { readonly [Name in keyof Settings]: SettingRange }

/** Settings, and what they scored on everything there is to learn from. */
export interface FoundSettings<Settings> {
  readonly settings: Settings
  readonly score: number
}

/**
 * Rounds: on how much of what there is to learn from, how many stay, how many more are tried around each of those, and how far around:
 * a deviation, as a share of the range.
 */
const ROUNDS = [
  { part01: 0.25, kept: 10, around: 1, step01: 0.15 },
  { part01: 0.5, kept: 5, around: 1, step01: 0.1 },
  { part01: 1, kept: 2, around: 3, step01: 0.05 },
] as const
const FIRST_TRIES = 40
const STREAM = 312

/**
 * The settings that score highest, by random tries that are screened on a part of what there is to learn from, the best kept and
 * searched around; the last few are scored on all of it. One search for every rule, a function of its seed.
 * @param scoreOf  higher is better; `part01` says on how much of the training part
 */
export function searchSettings<Settings extends object>(
  core: Core,
  ranges: SettingRanges<Settings>,
  seed: number,
  scoreOf: (settings: Settings, part01: number) => number,
): FoundSettings<Settings> {
  const random = new Random(core, seed, STREAM)
  const names = Object.keys(ranges) as (keyof Settings)[]
  const settingsAt = (point: readonly number[]): Settings =>
    Object.fromEntries(names.map((name, i) => [name, valueAt(core, ranges[name], point[i]!)])) as Settings
  const scored = (points: readonly (readonly number[])[], part01: number) =>
    points
      .map((point) => ({ point, settings: settingsAt(point), score: scoreOf(settingsAt(point), part01) }))
      .sort((a, b) => b.score - a.score)
  const near = (at: number, step01: number): number => Math.min(1, Math.max(0, random.normal(at, step01)))

  let points: (readonly number[])[] = Array.from({ length: FIRST_TRIES }, () => names.map(() => random.uniform()))
  for (const { part01, kept, around, step01 } of ROUNDS) {
    const best = scored(points, part01).slice(0, kept)
    const more = best.flatMap(({ point }) => Array.from({ length: around }, () => point.map((at) => near(at, step01))))
    points = [...best.map(({ point }) => point), ...more]
  }
  random.dispose()
  const { settings, score } = scored(points, 1)[0]!
  return { settings, score }
}

/** The value at a place of 0 … 1 within its range. */
function valueAt({ math }: Core, { low, high, isLogarithmic, isWhole }: SettingRange, place01: number): number {
  const value = isLogarithmic ? low * math.pow(high / low, place01) : low + (high - low) * place01
  return isWhole ? Math.round(value) : value
}
