import type { CriticalPath } from '../path/types.js'
import { type CallTree, sumUp, walk } from './call-tree.js'
import { frameName } from './folded.js'

/** A frame of a speedscope profile is entered or left. */
export interface SpeedscopeEvent {
  /** `O` opens a frame, `C` closes it. */
  readonly type: 'O' | 'C'
  /** ns from the start of the profile. */
  readonly at: number
  readonly frame: number
}

/** One request as a time-ordered profile of speedscope's file format; values in ns. */
export interface SpeedscopeProfile {
  readonly type: 'evented'
  readonly name: string
  readonly unit: 'nanoseconds'
  readonly startValue: number
  readonly endValue: number
  readonly events: readonly SpeedscopeEvent[]
}

/** What speedscope opens (its file format, version of 2026); `JSON.stringify` of it is the file. */
export interface SpeedscopeFile {
  readonly $schema: 'https://www.speedscope.app/file-format-schema.json'
  readonly exporter: string
  readonly name: string
  readonly activeProfileIndex: number
  readonly shared: { readonly frames: readonly { readonly name: string }[] }
  readonly profiles: readonly SpeedscopeProfile[]
}

/** Profiles for speedscope, one after the other in the file's list. Events grow with the spans, however deep they lie. */
export class SpeedscopeWriter {
  readonly #name: string
  readonly #frames: { readonly name: string }[] = []
  readonly #numbers = new Map<string, number>()
  readonly #profiles: SpeedscopeProfile[] = []

  constructor(name: string) {
    this.#name = name
  }

  /** Call paths with the time they own, the largest first (what speedscope calls left heavy). */
  addTree(name: string, tree: CallTree): void {
    const frames = this.#framesOf(tree)
    const total = sumUp(tree.parent, tree.selfNs)
    const events: SpeedscopeEvent[] = []
    // A node's own time comes after what it calls, so that its end is the end of its whole.
    const endsAt: number[] = []
    let at = 0
    for (const { node, isEntry } of walk(tree, total)) {
      if (isEntry) {
        endsAt.push(at + total[node]!)
        events.push({ type: 'O', at, frame: frames[tree.frame[node]!]! })
      } else {
        at = endsAt.pop()!
        events.push({ type: 'C', at, frame: frames[tree.frame[node]!]! })
      }
    }
    this.#add(name, at, events)
  }

  /** One request as it went: the sections of its path in time order, each below its callers. */
  addPath(name: string, path: CriticalPath): void {
    const { trace, root, size, row, startNs, endNs } = path
    const frameOf = Array.from({ length: trace.size }, () => -1) // [N]
    const nameOf = (at: number): number => {
      if (frameOf[at]! < 0) {
        const frame = {
          service: trace.names.text(trace.service[at]!),
          operation: trace.names.text(trace.operation[at]!),
        }
        frameOf[at] = this.#frame(frameName(frame))
      }
      return frameOf[at]!
    }
    const events: SpeedscopeEvent[] = []
    const isOpen = new Uint8Array(trace.size) // [N]
    const stack: number[] = []
    const descent: number[] = []
    const origin = size > 0 ? startNs[0]! : 0
    for (let i = 0; i < size; i++) {
      const at = startNs[i]! - origin
      let top = row[i]!
      while (top >= 0 && isOpen[top] === 0) {
        descent.push(top)
        top = top === root ? -1 : trace.parent[top]!
      }
      while (stack.length > 0 && stack.at(-1) !== top) {
        const closed = stack.pop()!
        isOpen[closed] = 0
        events.push({ type: 'C', at, frame: nameOf(closed) })
      }
      while (descent.length > 0) {
        const opened = descent.pop()!
        isOpen[opened] = 1
        stack.push(opened)
        events.push({ type: 'O', at, frame: nameOf(opened) })
      }
    }
    const end = size > 0 ? endNs[size - 1]! - origin : 0
    while (stack.length > 0) events.push({ type: 'C', at: end, frame: nameOf(stack.pop()!) })
    this.#add(name, end, events)
  }

  /** The file so far, ready for `JSON.stringify`. */
  finish(): SpeedscopeFile {
    return {
      $schema: 'https://www.speedscope.app/file-format-schema.json',
      exporter: 'trimtab',
      name: this.#name,
      activeProfileIndex: 0,
      shared: { frames: this.#frames },
      profiles: this.#profiles,
    }
  }

  #add(name: string, endValue: number, events: readonly SpeedscopeEvent[]): void {
    this.#profiles.push({ type: 'evented', name, unit: 'nanoseconds', startValue: 0, endValue, events })
  }

  #framesOf(tree: CallTree): number[] {
    return tree.frames.map((frame) => this.#frame(frameName(frame)))
  }

  #frame(name: string): number {
    let number = this.#numbers.get(name)
    if (number === undefined) {
      number = this.#frames.length
      this.#numbers.set(name, number)
      this.#frames.push({ name })
    }
    return number
  }
}
