import type { IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { BodyBudget, readBody } from '../src/request-body.js'

const requestOf = (): PassThrough & IncomingMessage => Object.assign(new PassThrough(), { headers: {} }) as never

describe('the body of a request', () => {
  it('is given back to the budget once, though its client leaves after the refusal', async () => {
    const budget = new BodyBudget(100)
    const request = requestOf()
    const refused = expect(readBody(request, { maxBytes: 10, budget })).rejects.toMatchObject({ status: 413 })
    request.write(Buffer.alloc(8))
    request.write(Buffer.alloc(8))
    await refused
    expect(budget.bytes).toBe(0)
    request.on('error', () => {})
    request.emit('error', new Error('aborted'))
    expect(budget.bytes).toBe(0)
  })

  it('is the caller’s to give back once it is whole', async () => {
    const budget = new BodyBudget(100)
    const request = requestOf()
    const body = readBody(request, { maxBytes: 10, budget })
    request.end(Buffer.alloc(8))
    expect((await body).length).toBe(8)
    request.on('error', () => {})
    request.emit('error', new Error('aborted'))
    expect(budget.bytes).toBe(8)
  })
})
