// What one policy did with the requests, and how that looks at any moment of simulated time.

/** Requests in the order of arrival, N of them. */
export interface Requests {
  /** [N] s */
  readonly arrival: Float64Array
  /** [N] output tokens */
  readonly tokens: Float64Array
  readonly prompts: readonly string[]
  readonly models: readonly string[]
}

export interface Lane {
  readonly name: 'fcfs' | 'ssjf' | 'oracle'
  readonly label: string
  /** [N] output tokens as the queue was told; undefined where it does not ask. */
  readonly estimate: Float64Array | undefined
  /** [N] s at which service began and ended. */
  readonly start: Float64Array
  readonly finish: Float64Array
}

/** Stretches of a run between the points of a chart. */
export const MOMENTS = 240

/** Who is where at a moment of a lane. */
export interface Places {
  /** Who is served, by when they began. */
  readonly running: readonly number[]
  /** Who waits, by when they will be served. */
  readonly waiting: readonly number[]
}

/** A moment of a lane in numbers. Means are over all requests that have come; whoever is not through counts until now. */
export interface Moment {
  readonly waiting: number
  readonly come: number
  readonly done: number
  readonly meanWait: number
  readonly meanCompletion: number
  readonly longestWait: number
}

export function placesAt({ arrival }: Requests, { start, finish }: Lane, now: number): Places {
  const running: number[] = []
  const waiting: number[] = []
  for (let i = 0; i < arrival.length && arrival[i]! <= now; i++) {
    if (finish[i]! <= now) continue
    if (start[i]! <= now) running.push(i)
    else waiting.push(i)
  }
  const byStart = (a: number, b: number): number => start[a]! - start[b]! || a - b
  return { running: running.sort(byStart), waiting: waiting.sort(byStart) }
}

export function momentOf({ arrival }: Requests, { start, finish }: Lane, now: number): Moment {
  let [come, done, waiting, wait, completion, longestWait] = [0, 0, 0, 0, 0, 0]
  for (; come < arrival.length && arrival[come]! <= now; come++) {
    const i = come
    const waited = Math.min(now, start[i]!) - arrival[i]!
    wait += waited
    completion += Math.min(now, finish[i]!) - arrival[i]!
    longestWait = Math.max(longestWait, waited)
    if (finish[i]! <= now) done++
    else if (start[i]! > now) waiting++
  }
  return {
    ...{ come, done, waiting, longestWait },
    meanWait: wait / Math.max(1, come),
    meanCompletion: completion / Math.max(1, come),
  }
}

/** What is told of a finished run. Times in s. */
export interface Outcome {
  readonly meanWait: number
  readonly meanCompletion: number
  readonly p99Completion: number
  readonly longestWait: number
  /** Mean time to completion of the requests with the shorter and the longer answers, half of them each. */
  readonly shorter: number
  readonly longer: number
}

export function outcomeOf({ arrival, tokens }: Requests, { start, finish }: Lane): Outcome {
  const waits = start.map((time, i) => time - arrival[i]!)
  const completions = finish.map((time, i) => time - arrival[i]!)
  const byLength = Array.from(tokens.keys()).sort((a, b) => tokens[a]! - tokens[b]!)
  const half = Math.ceil(byLength.length / 2)
  const mean = (values: ArrayLike<number>): number =>
    Array.from(values).reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
  const meanAmong = (rows: readonly number[]): number => mean(rows.map((row) => completions[row]!))
  return {
    meanWait: mean(waits),
    meanCompletion: mean(completions),
    p99Completion: completions.slice().sort()[Math.ceil(0.99 * completions.length) - 1]!,
    longestWait: Math.max(...waits),
    shorter: meanAmong(byLength.slice(0, half)),
    longer: meanAmong(byLength.slice(half)),
  }
}
