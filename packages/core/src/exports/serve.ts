// Generated from assembly/ by scripts/build-abi.mjs.
import { SharedExports } from './shared.js'

/** What assembly/serve.ts exports: kernels of what serves requests. Pointers are byte offsets in `memory`. */
export class ServeExports extends SharedExports {
  /** Bytes of a model with 2^bits rows of n-grams. */
  length_bytes(scratch: number, bits: number, models: number): number {
    try {
      return this.raw.length_bytes!(scratch, bits, models)
    } catch (cause) {
      throw this.failed('length_bytes', cause)
    }
  }

  /** Makes a model in `base`, `length_bytes` long: knows no n-gram, expects what the percentiles say. */
  length_create(base: number, bits: number, models: number): void {
    try {
      this.raw.length_create!(base, bits, models)
    } catch (cause) {
      throw this.failed('length_create', cause)
    }
  }

  /** A figure or setting, `which` of LENGTH_RATE … LENGTH_WEIGHT_COUNT, else the rows that the text gave. */
  length_get(base: number, which: number): number {
    try {
      return this.raw.length_get!(base, which)
    } catch (cause) {
      throw this.failed('length_get', cause)
    }
  }

  /**
   * One step on the text in place, whose answer was of class `target`. Returns the loss before it.
   * @param share  0…1, of the step in what all models have in common
   */
  length_learn(base: number, bytes: number, characters: number, model: number, target: number, share: number): number {
    try {
      return this.raw.length_learn!(base, bytes, characters, model, target, share)
    } catch (cause) {
      throw this.failed('length_learn', cause)
    }
  }

  /**
   * Where a part lies, `which` of LENGTH_…: text u8, hashed rows i32, counts f32 [C + S], probabilities [K], table [V], its
   * squares [V], weights and their squares, moments.
   */
  length_pointer(base: number, which: number): number {
    try {
      return this.raw.length_pointer!(base, which) >>> 0
    } catch (cause) {
      throw this.failed('length_pointer', cause)
    }
  }

  /** Fills the probabilities of the five classes. The text is in place. @param model its row, 0 if it has none */
  length_predict(base: number, bytes: number, characters: number, model: number): void {
    try {
      this.raw.length_predict!(base, bytes, characters, model)
    } catch (cause) {
      throw this.failed('length_predict', cause)
    }
  }

  /** Sets the rate, the updates or the rows seen. */
  length_set(base: number, which: number, value: number): void {
    try {
      this.raw.length_set!(base, which, value)
    } catch (cause) {
      throw this.failed('length_set', cause)
    }
  }

  /** Bytes of a scratch block that `length_bytes` may write a head into. */
  length_shape_bytes(): number {
    try {
      return this.raw.length_shape_bytes!()
    } catch (cause) {
      throw this.failed('length_shape_bytes', cause)
    }
  }

  /**
   * From now on, and for all that wait, a token counts `scale` times, and those above `cap` not at all. O(classes) or, for the
   * heap, O(entries). OK or NOT_FINITE.
   */
  queue_age(block: number, scale: number, cap: number): number {
    try {
      return this.raw.queue_age!(block, scale, cap)
    } catch (cause) {
      throw this.failed('queue_age', cause)
    }
  }

  /** Bytes of a queue. */
  queue_bytes(
    order: number,
    capacity: number,
    parts: number,
    lowest: number,
    highest: number,
    fairness: number,
    tenants: number,
    canAge: number,
  ): number {
    try {
      return this.raw.queue_bytes!(order, capacity, parts, lowest, highest, fairness, tenants, canAge)
    } catch (cause) {
      throw this.failed('queue_bytes', cause)
    }
  }

  /** A waiting ticket leaves: O(1), amortised. Returns whether it waited. */
  queue_cancel(block: number, ticket: number): number {
    try {
      return this.raw.queue_cancel!(block, ticket)
    } catch (cause) {
      throw this.failed('queue_cancel', cause)
    }
  }

  /** Everything leaves; tenants have nothing outstanding. */
  queue_clear(block: number): void {
    try {
      this.raw.queue_clear!(block)
    } catch (cause) {
      throw this.failed('queue_clear', cause)
    }
  }

  /**
   * @param parts  an octave of tokens is cut into 2^parts classes, from that of `lowest` to that of `highest`
   * @param canAge  1: `queue_age` may be called
   */
  queue_create(
    block: number,
    order: number,
    capacity: number,
    parts: number,
    lowest: number,
    highest: number,
    slope: number,
    fairness: number,
    tenants: number,
    canAge: number,
  ): void {
    try {
      this.raw.queue_create!(block, order, capacity, parts, lowest, highest, slope, fairness, tenants, canAge)
    } catch (cause) {
      throw this.failed('queue_create', cause)
    }
  }

  /** So many of a tenant's expected tokens are no longer outstanding. OK, NOT_FINITE or OUT_OF_RANGE. */
  queue_finish(block: number, tenant: number, tokens: number): number {
    try {
      return this.raw.queue_finish!(block, tenant, tokens)
    } catch (cause) {
      throw this.failed('queue_finish', cause)
    }
  }

  /** Whether the ticket waits. */
  queue_has(block: number, ticket: number): number {
    try {
      return this.raw.queue_has!(block, ticket)
    } catch (cause) {
      throw this.failed('queue_has', cause)
    }
  }

  /** Where the columns of a batch are; see layout.ts. */
  queue_io(block: number): number {
    try {
      return this.raw.queue_io!(block) >>> 0
    } catch (cause) {
      throw this.failed('queue_io', cause)
    }
  }

  /** Expected tokens of a tenant that wait or run; 0 where there is no fairness. */
  queue_outstanding(block: number, tenant: number): number {
    try {
      return this.raw.queue_outstanding!(block, tenant)
    } catch (cause) {
      throw this.failed('queue_outstanding', cause)
    }
  }

  /** The ticket of the smallest key, or EMPTY. */
  queue_peek(block: number): number {
    try {
      return this.raw.queue_peek!(block)
    } catch (cause) {
      throw this.failed('queue_peek', cause)
    }
  }

  /** The same; it leaves. */
  queue_pop(block: number): number {
    try {
      return this.raw.queue_pop!(block)
    } catch (cause) {
      throw this.failed('queue_pop', cause)
    }
  }

  /** Pops up to n tickets into the column; returns how many. */
  queue_pop_many(block: number, n: number): number {
    try {
      return this.raw.queue_pop_many!(block, n)
    } catch (cause) {
      throw this.failed('queue_pop_many', cause)
    }
  }

  /**
   * A ticket ≥ 0, or NOT_FINITE (tokens are negative, or a number or the key is not finite), OUT_OF_RANGE (no such tenant) or
   * FULL; nothing changes then. Tenants count only where there is fairness.
   */
  queue_push(block: number, tokens: number, arrival: number, tenant: number): number {
    try {
      return this.raw.queue_push!(block, tokens, arrival, tenant)
    } catch (cause) {
      throw this.failed('queue_push', cause)
    }
  }

  /** Pushes the first n of the columns; returns how many entered before one was refused. Their tickets are in the columns. */
  queue_push_many(block: number, n: number): number {
    try {
      return this.raw.queue_push_many!(block, n)
    } catch (cause) {
      throw this.failed('queue_push_many', cause)
    }
  }

  /** Requests that wait. */
  queue_size(block: number): number {
    try {
      return this.raw.queue_size!(block)
    } catch (cause) {
      throw this.failed('queue_size', cause)
    }
  }

  /** Bytes of a replay, zeroed by the caller. */
  replay_bytes(rows: number, servers: number, batch: number): number {
    try {
      return this.raw.replay_bytes!(rows, servers, batch)
    } catch (cause) {
      throw this.failed('replay_bytes', cause)
    }
  }

  /** Where a column lies, `which` of REPLAY_…: tenant and bypasses i32 [N], slowdown f64 [B + 1], the others f64 [N]. */
  replay_column(block: number, which: number): number {
    try {
      return this.raw.replay_column!(block, which) >>> 0
    } catch (cause) {
      throw this.failed('replay_column', cause)
    }
  }

  /** Makes a replay in `block`, `replay_bytes` long; the columns are the caller's to fill. */
  replay_create(block: number, rows: number, servers: number, batch: number): void {
    try {
      this.raw.replay_create!(block, rows, servers, batch)
    } catch (cause) {
      throw this.failed('replay_create', cause)
    }
  }

  /**
   * Runs all rows; columns [N] in: arrival (in order), tokens, estimate, tenant, slowdown [B + 1]; out: start, finish, bypasses.
   *
   * @param queue       empty, with room for all rows; with ageing by work of slope 1
   * @param bypass      ageing by work; below 0 none
   * @returns OK, or what the queue said to the first row it refused
   */
  replay_run(
    block: number,
    queue: number,
    batching: number,
    timeout: number,
    perRequest: number,
    perToken: number,
    bypass: number,
    longFactor: number,
  ): number {
    try {
      return this.raw.replay_run!(block, queue, batching, timeout, perRequest, perToken, bypass, longFactor)
    } catch (cause) {
      throw this.failed('replay_run', cause)
    }
  }

  /**
   * tiles f32 [n / 32, W, 32], group i32 [n], x f32 [W] and scratch [2 W + 32]: the first row of `group` whose dot product with x is
   * largest, −1 when the group has none. Writes that product at `best`.
   * @param n  rows, a multiple of 32
   * @param width  W, a multiple of 4
   */
  similarity_nearest(
    tiles: number,
    group: number,
    x: number,
    best: number,
    n: number,
    width: number,
    wanted: number,
  ): number {
    try {
      return this.raw.similarity_nearest!(tiles, group, x, best, n, width, wanted)
    } catch (cause) {
      throw this.failed('similarity_nearest', cause)
    }
  }
}
