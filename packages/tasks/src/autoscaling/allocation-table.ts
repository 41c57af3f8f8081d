const LEVELS = 9 // cells per coordinate of [−1, 1]

interface Cell {
  count: number
  preservation: number // sums
  reward: number
}

/** What was seen at an allocation: means over the steps spent there. */
export interface RecordedPerformance {
  readonly preservation: number
  readonly reward: number
}

/**
 * How an application did under each allocation tried so far (5.5, TL+): cells of allocations, on logarithmic scales of
 * [−1, 1], with the means of what was seen there; asked for an allocation, it answers with the nearest cell.
 */
export class AllocationTable {
  readonly #cells: Map<number, Cell> = new Map()

  /** Notes what an allocation gave: its SLO preservation and its reward. */
  record(allocation: ArrayLike<number>, preservation: number, reward: number): void {
    const key = keyOf(allocation)
    const cell = this.#cells.get(key) ?? { count: 0, preservation: 0, reward: 0 }
    cell.count++
    cell.preservation += preservation
    cell.reward += reward
    this.#cells.set(key, cell)
  }

  /** Undefined while nothing has been recorded. Of equally near cells the first recorded answers. */
  nearest(allocation: ArrayLike<number>): RecordedPerformance | undefined {
    const key = keyOf(allocation)
    let found = this.#cells.get(key)
    let least = Number.POSITIVE_INFINITY
    if (!found) {
      for (const [other, cell] of this.#cells) {
        const distance = squaredDistance(key, other)
        if (distance < least) {
          least = distance
          found = cell
        }
      }
    }
    return found && { preservation: found.preservation / found.count, reward: found.reward / found.count }
  }

  /** Forgets everything. */
  clear(): void {
    this.#cells.clear()
  }

  /** Four numbers a cell. */
  toNumbers(): number[] {
    return [...this.#cells].flatMap(([key, { count, preservation, reward }]) => [key, count, preservation, reward])
  }

  /** What `toNumbers` gave. */
  fromNumbers(numbers: ArrayLike<number>): void {
    this.clear()
    for (let i = 0; i < numbers.length; i += 4) {
      this.#cells.set(numbers[i]!, { count: numbers[i + 1]!, preservation: numbers[i + 2]!, reward: numbers[i + 3]! })
    }
  }
}

function keyOf(allocation: ArrayLike<number>): number {
  let key = 0
  for (let i = 0; i < 3; i++) {
    const level = Math.round(((allocation[i]! + 1) / 2) * (LEVELS - 1))
    key = LEVELS * key + Math.min(LEVELS - 1, Math.max(0, level))
  }
  return key
}

function squaredDistance(a: number, b: number): number {
  let sum = 0
  for (let [x, y] = [a, b], i = 0; i < 3; i++) {
    sum += ((x % LEVELS) - (y % LEVELS)) ** 2
    x = Math.floor(x / LEVELS)
    y = Math.floor(y / LEVELS)
  }
  return sum
}
