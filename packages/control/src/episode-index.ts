/** A run of steps of one episode: positions `start` … `end − 1` in a store, and the sum of their rewards. */
export interface EpisodeSpan {
  readonly start: number
  readonly end: number
  readonly reward: number
}

/**
 * Knows which stored steps make up which episode. An episode ends where another number or an earlier step follows, so that two
 * runs written one after the other never merge.
 */
export class EpisodeIndex {
  readonly #finished: EpisodeSpan[] = []
  #episode = Number.NaN
  #step = 0
  #start = 0
  #end = 0
  #reward = 0

  /** Takes note of the step stored at `position`; positions rise by one. */
  add(position: number, episode: number, step: number, reward: number): void {
    if (episode !== this.#episode || step <= this.#step) {
      if (this.#end > this.#start) this.#finished.push({ start: this.#start, end: this.#end, reward: this.#reward })
      this.#start = position
      this.#reward = 0
    }
    this.#episode = episode
    this.#step = step
    this.#end = position + 1
    this.#reward += reward
  }

  /** Forgets finished episodes that began before `position`: the store no longer holds them whole. */
  evict(position: number): void {
    while (this.#finished.length > 0 && this.#finished[0]!.start < position) this.#finished.shift()
  }

  /** The n finished episodes of highest reward, best first; the earlier of two equals first. */
  best(n: number): EpisodeSpan[] {
    // A reward that is no number, of a store that was handed one, is nobody's best; it must not unsettle the order of the others.
    const worth = ({ reward }: EpisodeSpan): number => (Number.isNaN(reward) ? Number.NEGATIVE_INFINITY : reward)
    const better = (a: EpisodeSpan, b: EpisodeSpan): number =>
      worth(a) < worth(b) ? 1 : worth(a) > worth(b) ? -1 : a.start - b.start
    return [...this.#finished].sort(better).slice(0, n)
  }
}
