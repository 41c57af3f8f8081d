import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ActionReport, ActivationReport } from '../src/client/reports.js'
import { ActivationFeed, type ActivationPage, type ActivationQuery } from '../src/index.js'

const PAGE = 200

/** A platform's list of activations, by the words of its API: by start, both ends counting, only what has ended. */
class Listing {
  nowMs = 1_000_000
  readonly all: (ActivationReport & { readonly visibleAtMs: number })[] = []
  /** Happens between two pages. */
  between: () => void = () => {}
  requests = 0

  add(startMs: number, visibleAtMs: number): string {
    const activationId = `a${this.all.length}`
    this.all.push({
      activationId,
      action: 'hello',
      startMs,
      visibleAtMs,
      durationMs: 1,
      waitTimeMs: 0,
      initTimeMs: undefined,
      isCold: false,
    })
    return activationId
  }

  async activations({ since = 0, upto = Infinity, skip = 0, limit = PAGE }: ActivationQuery): Promise<ActivationPage> {
    this.requests++
    const found = this.all
      .filter((each) => each.visibleAtMs <= this.nowMs && each.startMs >= since && each.startMs <= upto)
      .sort((a, b) => b.startMs - a.startMs)
      .slice(skip, skip + limit)
    this.between()
    return { length: found.length, activations: found, timeMs: this.nowMs }
  }

  /** Longest timeouts of its actions. */
  timeouts = [60_000]

  async actions(): Promise<ActionReport[]> {
    return this.timeouts.map((timeout, i) => ({ name: `action-${i}`, version: '0.0.1', limits: { timeout } }))
  }
}

const idsOf = (activations: readonly ActivationReport[]): string[] => activations.map((each) => each.activationId)

describe('the feed of activations', () => {
  it('has every activation once, whenever it began, ended and was read', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ afterMs: fc.nat(200), lastsMs: fc.nat(5000), reads: fc.boolean() }), {
          minLength: 1,
          maxLength: 60,
        }),
        async (events) => {
          const listing = new Listing()
          const feed = new ActivationFeed({ client: listing, lookbackMs: 5000 })
          await feed.read()
          const read: string[] = []
          const made: string[] = []
          for (const { afterMs, lastsMs, reads } of events) {
            listing.nowMs += afterMs
            made.push(listing.add(listing.nowMs, listing.nowMs + lastsMs))
            if (reads) read.push(...idsOf((await feed.read()).activations))
          }
          listing.nowMs += 5000
          read.push(...idsOf((await feed.read()).activations))
          expect(read.sort()).toEqual(made.sort())
        },
      ),
      { numRuns: 50 },
    ))

  it.each([
    ['spread over time', (i: number) => 7 * i],
    ['in bursts of one millisecond', (i: number) => 1000 * Math.floor(i / 450)],
  ])('pages through more than one answer holds, %s', async (_, offset) => {
    const listing = new Listing()
    const feed = new ActivationFeed({ client: listing })
    await feed.read()
    for (let i = 0; i < 1000; i++) listing.add(listing.nowMs + offset(i), 0)
    listing.nowMs += 10_000
    const { activations, isComplete } = await feed.read()
    expect([new Set(idsOf(activations)).size, activations.length, isComplete]).toEqual([1000, 1000, true])
  })

  it('loses and doubles none that ends between two pages', async () => {
    const listing = new Listing()
    const feed = new ActivationFeed({ client: listing })
    await feed.read()
    const made = Array.from({ length: 700 }, (_, i) => listing.add(listing.nowMs + i, 0))
    listing.between = () => {
      made.push(listing.add(listing.nowMs + 690, 0), listing.add(listing.nowMs + 100, 0))
    }
    const read = idsOf((await feed.read()).activations)
    listing.between = () => {}
    read.push(...idsOf((await feed.read()).activations))
    expect(read.sort()).toEqual(made.sort())
  })

  it('begins the count at its first read, and says that it is no step', async () => {
    const listing = new Listing()
    listing.add(500_000, 0)
    const feed = new ActivationFeed({ client: listing })
    expect(await feed.read()).toEqual({ activations: [], isComplete: false })
    expect(await feed.read()).toEqual({ activations: [], isComplete: true })
  })

  it('has at the next read what a read that failed would have had', async () => {
    const listing = new Listing()
    const feed = new ActivationFeed({ client: listing })
    await feed.read()
    for (let i = 0; i < 300; i++) listing.add(listing.nowMs + i, 0)
    listing.between = () => {
      if (listing.requests % 2 === 0) throw new Error('down')
    }
    await expect(feed.read()).rejects.toThrow('down')
    listing.between = () => {}
    expect((await feed.read()).activations).toHaveLength(300)
  })

  it('says where there were more than it may read, and doubles none later', async () => {
    const listing = new Listing()
    const feed = new ActivationFeed({ client: listing, mostPages: 2 })
    await feed.read()
    for (let i = 0; i < 1000; i++) listing.add(listing.nowMs + i, 0)
    const first = await feed.read()
    expect([first.isComplete, first.activations.length]).toEqual([false, 399]) // pages share a millisecond
    const second = await feed.read()
    expect(idsOf(second.activations).filter((id) => idsOf(first.activations).includes(id))).toEqual([])
  })

  it('waits as long for a record as the actions may run, one that was made later too', async () => {
    const listing = new Listing()
    const feed = new ActivationFeed({ client: listing })
    await feed.read()
    const made: string[] = []
    const read: string[] = []
    for (let step = 0; step < 60; step++) {
      const lastsMs = (step % 7 === 0 ? 0.999 : 0.1) * Math.max(...listing.timeouts)
      made.push(listing.add(listing.nowMs, listing.nowMs + lastsMs))
      listing.nowMs += 10_000
      if (step === 20) listing.timeouts = [60_000, 200_000]
      if (step === 40) listing.timeouts = [60_000] // what it began still ends
      read.push(...idsOf((await feed.read()).activations))
    }
    listing.nowMs += 300_000
    read.push(...idsOf((await feed.read()).activations))
    expect(read.sort()).toEqual(made.sort())
  })

  it('is not led astray by an invoker whose clock is an hour ahead', async () => {
    const listing = new Listing()
    const feed = new ActivationFeed({ client: listing })
    await feed.read()
    const made: string[] = []
    const read: string[] = []
    for (let step = 0; step < 20; step++) {
      listing.nowMs += 10_000
      made.push(listing.add(listing.nowMs + (step % 3 === 0 ? 3_600_000 : 0), 0))
      read.push(...idsOf((await feed.read()).activations))
    }
    expect(read).toEqual(made)
  })

  it('leaves out what it is told to', async () => {
    const listing = new Listing()
    const feed = new ActivationFeed({ client: listing })
    await feed.read()
    feed.ignore(listing.add(listing.nowMs, 0))
    const kept = listing.add(listing.nowMs, 0)
    expect(idsOf((await feed.read()).activations)).toEqual([kept])
    expect((await feed.read()).activations).toEqual([])
  })

  it('keeps no more than the last stretch in mind', async () => {
    const listing = new Listing()
    const feed = new ActivationFeed({ client: listing, lookbackMs: 1000 })
    await feed.read()
    for (let step = 0; step < 20; step++) {
      for (let i = 0; i < 50; i++) listing.add(listing.nowMs + i, 0)
      listing.nowMs += 5000
      expect((await feed.read()).activations).toHaveLength(50)
    }
    expect(feed.remembered).toBe(50)
  })
})
