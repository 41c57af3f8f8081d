import { Problems } from '@trimtab/core'

/** Which path is wanted and what may overlap on it. */
export interface PathOptions {
  /**
   * `blocking` (default): what the root's caller waited for; ends with the root. `to-trace-end`: follows asynchronous hops to
   * the last event of the trace. `firm`: Algorithm 3.1 to the letter, whole spans in the algorithm's order.
   */
  readonly mode?: 'blocking' | 'to-trace-end' | 'firm' | undefined
  /**
   * µs by which a span may overlap the sibling that followed it and still count as its predecessor; what overlaps is
   * trimmed, never counted twice. Default 0. `auto`: the resolution of the clocks, found in the data.
   */
  readonly overlapTolerance?: number | 'auto' | undefined
  /** Default `background`: nobody waits for a span that follows from its parent. */
  readonly followsFrom?: 'background' | 'blocking' | undefined
  /** Default `background`: a producer does not wait for its consumers. */
  readonly producerConsumer?: 'background' | 'blocking' | undefined
  /** A child that ends after its parent: `clamp` (default) cuts it to the parent, `background` leaves it off, as FIRM does. */
  readonly lateChild?: 'clamp' | 'background' | undefined
  /** Id of the span whose latency is to be explained. Default: the trace's root. */
  readonly root?: string | undefined
}

/** @throws {ConfigError} `config_invalid` with every problem */
export function checkPathOptions(options: PathOptions): void {
  const problems = new Problems()
  const { overlapTolerance, root } = options
  const oneOf = (name: keyof PathOptions, ...allowed: string[]): void => {
    const value = options[name]
    const names = `${allowed.slice(0, -1).join(', ')} or ${allowed.at(-1)}`
    problems.check(value === undefined || allowed.includes(String(value)), `${name} must be ${names}, got ${value}`)
  }
  oneOf('mode', 'blocking', 'to-trace-end', 'firm')
  oneOf('followsFrom', 'background', 'blocking')
  oneOf('producerConsumer', 'background', 'blocking')
  oneOf('lateChild', 'clamp', 'background')
  problems.check(root === undefined || typeof root === 'string', `root must be the id of a span, got ${root}`)
  problems.check(
    overlapTolerance === undefined ||
      overlapTolerance === 'auto' ||
      (Number.isFinite(overlapTolerance) && overlapTolerance >= 0),
    `overlapTolerance must be 'auto' or microseconds >= 0, got ${overlapTolerance}`,
  )
  problems.throwIfAny('PathOptions')
}
