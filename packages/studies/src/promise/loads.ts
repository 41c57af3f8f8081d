import { ConfigError, type Core, Random } from '@trimtab/core'
import { createLoad, type LoadSeries, parseLoad } from '@trimtab/tasks/autoscaling'

/** Kinds of load that the promise is judged on. The first two are measured: the caller gives their text. */
export const PROMISE_LOADS = [
  { name: 'nasa', label: 'NASA web server', isMeasured: true },
  { name: 'twitter', label: 'Twitter', isMeasured: true },
  { name: 'growth', label: 'steady growth, never seen before', isMeasured: false },
  { name: 'zero-night', label: 'eight hours without a request, then a step', isMeasured: false },
  { name: 'steps', label: 'sudden steps', isMeasured: false },
  { name: 'flash', label: 'flash crowds', isMeasured: false },
  { name: 'office', label: 'office weeks with a Monday surge', isMeasured: false },
  { name: 'batches', label: 'saw teeth and batches at irregular times', isMeasured: false },
] as const

/** Machine name of one of them. */
export type PromiseLoadName = (typeof PROMISE_LOADS)[number]['name']

/** No load goes on for longer: what lies behind is cut. */
export const MAX_DAYS = 14
const DAY = 1440
const STREAM = 131

/** Requests in a minute, before noise. */
type Shape = (minute: number) => number

/** How a generated load comes about: days and noise of a minute, relative. */
interface Kind {
  readonly days: number
  readonly noise: number
  readonly shape: (core: Core, random: Random) => Shape
}

const LEVELS = [220, 640, 380, 900]

const KINDS: Readonly<Record<Exclude<PromiseLoadName, 'nasa' | 'twitter'>, Kind>> = {
  // Tenfold within a week: everything in the judged part is more than anything seen.
  growth: { days: 7, noise: 0.045, shape: () => (t) => 100 + 0.09 * t },
  'zero-night': {
    ...{ days: 7, noise: 0.045 },
    shape: ({ math }) => {
      return (t) => (t % DAY < 480 ? 0 : 500 + 100 * math.sin(dayAngle(t)))
    },
  },
  steps: { days: 7, noise: 0.03, shape: () => (t) => LEVELS[Math.floor(t / 190) % 4]! },
  flash: {
    ...{ days: 7, noise: 0.03 },
    shape: ({ math }) => {
      return (t) => 260 + 120 * math.sin(dayAngle(t)) + 900 * math.exp(-(((t % 517) - 180) ** 2) / 500)
    },
  },
  // Starts on a Thursday, so that one Monday is learned from and another one judged.
  office: { days: 14, noise: 0.05, shape: officeOf },
  batches: { days: 14, noise: 0.04, shape: batchesOf },
}

const dayAngle = (minute: number): number => (2 * Math.PI * minute) / DAY
const MONDAY = 4

/** Office hours with a lunch dip, next to nothing at weekends, and on Mondays half as much again in the morning. */
function officeOf({ math }: Core): Shape {
  /** How far a moment is between `from` and `to`, smoothly. */
  const rise = (hour: number, from: number, to: number): number => {
    const share = Math.min(1, Math.max(0, (hour - from) / (to - from)))
    return share * share * (3 - 2 * share)
  }
  return (t) => {
    const day = Math.floor(t / DAY) % 7
    const hour = (t % DAY) / 60
    const isWeekend = day === MONDAY - 2 || day === MONDAY - 1
    const open = rise(hour, 6.5, 9) * (1 - rise(hour, 16.5, 20))
    const lunch = 1 - 0.3 * math.exp(-((hour - 12.5) ** 2) / 0.5)
    const surge = day === MONDAY ? 1 + 0.5 * rise(hour, 7.5, 9) * (1 - rise(hour, 10, 12)) : 1
    return 110 + (isWeekend ? 110 : 620) * open * lunch * surge
  }
}

/** Something that goes round: it rises within minutes and ebbs away over hours. Batches: at once there, at once gone. */
function batchesOf({ math }: Core, random: Random): Shape {
  const minutes = new Float64Array(MAX_DAYS * DAY)
  const between = (low: number, high: number): number => low + (high - low) * random.uniform()
  const wait = (mean: number): number => Math.round(random.exponential(mean))
  for (let start = wait(300); start < minutes.length; start += 60 + wait(400)) {
    const height = between(150, 600)
    const rise = between(2, 12)
    const ebb = between(40, 160)
    const end = Math.min(minutes.length, Math.ceil(start + 6 * ebb))
    for (let t = start; t < end; t++) {
      minutes[t]! += height * Math.min(1, (t - start) / rise) * math.exp(-Math.max(0, t - start - rise) / ebb)
    }
  }
  for (let start = wait(240); start < minutes.length; start += 30 + wait(330)) {
    const height = between(150, 450)
    const end = Math.min(minutes.length, start + Math.round(between(5, 25)))
    for (let t = start; t < end; t++) minutes[t]! += height
  }
  return (t) => 200 + 60 * math.sin(dayAngle(t)) + minutes[t]!
}

/**
 * The load of a kind: a measured one from its table of requests per minute, another one generated from a seed; at most 14 days.
 * @throws {ConfigError} `load_invalid` without a text where one is needed, or with one that cannot be read
 */
export function promiseLoad(core: Core, name: PromiseLoadName, seed: number, text?: string): LoadSeries {
  if (name === 'nasa' || name === 'twitter') {
    if (text === undefined) throw new ConfigError('load_invalid', `${name} is a measured load: its table is needed`)
    return shortened(parseLoad(name, text), MAX_DAYS)
  }
  const { days, noise, shape } = KINDS[name]
  const random = new Random(core, seed, STREAM)
  const perMinute = shape(core, random)
  const values = Float64Array.from({ length: days * DAY }, (_, t) => {
    return Math.max(0, perMinute(t) * (1 + noise * random.normal()))
  })
  random.dispose()
  return createLoad(name, values)
}

/** The first days of a load, scaled to their own peak. */
export const shortened = ({ name, shape }: LoadSeries, days: number): LoadSeries =>
  createLoad(name, shape.subarray(0, Math.round(days * DAY)))

const BEYOND = 0.01

/**
 * Whether the part after `learnedShare` lies within what the part before it showed: hardly a minute of it (1 %) is above the
 * most that was seen.
 */
export function isWithinSeen({ shape }: LoadSeries, learnedShare: number): boolean {
  const learned = Math.floor(learnedShare * shape.length)
  let most = 0
  for (let i = 0; i < learned; i++) most = Math.max(most, shape[i]!)
  let beyond = 0
  for (let i = learned; i < shape.length; i++) if (shape[i]! > most) beyond++
  return beyond <= BEYOND * (shape.length - learned)
}
