// What counts along the x axis of a chart: where it may have ticks, and how they are read.

export interface Axis {
  /** Distances between ticks, the smallest that leaves room is taken. */
  readonly steps: readonly number[]
  readonly label: (x: number) => string
}

/** Days, episodes: there is nothing in between. */
export const WHOLE: Axis = { steps: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000], label: String }

const [MINUTE, HOUR, DAY] = [60, 3600, 86_400]
const SECONDS = [
  ...[1, 2, 5, 10, 20],
  ...[1, 2, 5, 10, 20].map((minutes) => minutes * MINUTE),
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR),
  ...[1, 2, 5, 10].map((days) => days * DAY),
]

/** Simulated time since the start. @param secondsAUnit  what 1 on the axis stands for */
export const timeAxis = (secondsAUnit = 1): Axis => ({
  steps: SECONDS.filter((seconds) => seconds >= secondsAUnit).map((seconds) => seconds / secondsAUnit),
  label: (x) => timeText(x * secondsAUnit),
})

/** `20 s`, `5 min`, `18 h`: ticks are whole in one of them. */
function timeText(seconds: number): string {
  if (seconds === 0) return '0'
  if (seconds % HOUR === 0) return `${seconds / HOUR} h`
  return seconds % MINUTE === 0 ? `${seconds / MINUTE} min` : `${Number(seconds.toFixed(3))} s`
}
