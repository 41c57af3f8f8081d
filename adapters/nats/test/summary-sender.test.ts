import type { Summary } from '@trimtab/control'
import { describe, expect, it } from 'vitest'
import { SummarySender } from '../src/summary-sender.js'

const summary = (member: string, sequence: number): Summary => ({
  member,
  incarnation: 1,
  sequence,
  numbers: new Float64Array(3),
})

/** A server that answers when it is told to. */
class Server {
  readonly taken: string[] = []
  readonly #answers: ((answer: Promise<void>) => void)[] = []

  readonly take = ({ member, sequence }: Summary): Promise<void> => {
    this.taken.push(`${member}${sequence}`)
    return new Promise((resolve) => this.#answers.push(resolve))
  }

  async answer(answer: Promise<void> = Promise.resolve()): Promise<void> {
    this.#answers.shift()!(answer)
    await new Promise((resolve) => setImmediate(resolve))
  }
}

describe('summaries on their way', () => {
  it('go one at a time, the newest of each member next, and what it replaces is counted', async () => {
    const server = new Server()
    const sender = new SummarySender(server.take)
    for (let sequence = 1; sequence <= 5; sequence++) sender.push(summary('a', sequence))
    sender.push(summary('b', 1))
    expect(server.taken).toEqual(['a1'])
    await server.answer()
    expect(server.taken).toEqual(['a1', 'a5'])
    sender.push(summary('a', 6))
    await server.answer()
    await server.answer()
    expect(server.taken).toEqual(['a1', 'a5', 'b1', 'a6'])
    await server.answer()
    await sender.settled()
    expect([sender.sent, sender.dropped]).toEqual([4, 3])
  })

  it('are given up when the server does not take them, and the next ones are sent', async () => {
    const server = new Server()
    const sender = new SummarySender(server.take)
    sender.push(summary('a', 1))
    await server.answer(Promise.reject(new Error('no')))
    await sender.settled()
    sender.push(summary('a', 2))
    await server.answer()
    await sender.settled()
    expect([server.taken, sender.sent, sender.dropped]).toEqual([['a1', 'a2'], 1, 1])
  })
})
