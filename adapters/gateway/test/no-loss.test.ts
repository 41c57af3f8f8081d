import http from 'node:http'
import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { send } from './send.js'
import { start, until } from './start.js'

/** What one client does, and how the double answers it. */
const plan = fc.record({
  stream: fc.boolean(),
  tokens: fc.integer({ min: 1, max: 300 }),
  usage: fc.boolean(),
  fate: fc.constantFrom(
    'served',
    'served',
    'served',
    'status',
    'reset',
    'reset-inside',
    'leave-early',
    'leave-inside',
    'malformed',
    'huge',
  ),
  keepAlive: fc.boolean(),
  pause: fc.nat(3),
})
type Plan = typeof plan extends fc.Arbitrary<infer T> ? T : never

function bodyOf({ stream, tokens, usage, fate }: Plan, user: number): string {
  if (fate === 'malformed') return `{"user":${user},`
  const fault =
    fate.startsWith('reset') || fate === 'leave-inside' ? { fault: fate === 'leave-inside' ? 'hang' : 'reset' } : {}
  const after = fate.endsWith('inside') ? Math.ceil(tokens / 2) : 0
  const double = { tokens, ...fault, after, ...(fate === 'status' && { status: 503 }) }
  const filler = fate === 'huge' ? { filler: 'x'.repeat(60_000) } : {}
  return JSON.stringify({
    user,
    model: 'm',
    messages: [],
    stream,
    stream_options: { include_usage: usage },
    double,
    ...filler,
  })
}

it('no request is lost, doubled or mixed up, whatever clients and upstream do', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(plan, { minLength: 1, maxLength: 60 }), async (plans) => {
      const started = await start({ concurrency: 3, maxBodyBytes: 50_000 })
      const { port, double, scheduler, gateway, observed } = started
      const agent = new http.Agent({ keepAlive: true })
      try {
        const outcomes = await Promise.all(
          plans.map(async (each, user) => {
            for (let i = 0; i < each.pause; i++) await turn()
            const leaves = each.fate.startsWith('leave')
            return send(port, {
              ...{ method: 'POST', path: '/v1/chat/completions', body: bodyOf(each, user) },
              ...(each.keepAlive && { agent }),
              watch: (request) => {
                if (each.fate === 'leave-early') request.on('socket', () => turn().then(() => request.destroy()))
                if (each.fate === 'leave-inside' && each.stream)
                  request.on('response', (it) => it.on('data', () => request.destroy()))
                else if (leaves) request.on('finish', () => turn().then(() => request.destroy()))
              },
            }).catch(() => 'broken' as const)
          }),
        )
        await until(() => scheduler.size === 0 && scheduler.pending === 0)
        const seen = double.requests.map(({ body }) => JSON.parse(body.toString()).user)
        expect(new Set(seen).size, 'none twice').toBe(seen.length)
        expect(double.peak()).toBeLessThanOrEqual(3)
        let learned = 0
        for (const [user, each] of plans.entries()) {
          const outcome = outcomes[user]!
          const request = double.requests[seen.indexOf(user)]
          if (request) expect(request.body.toString(), 'as it was sent').toBe(bodyOf(each, user))
          const whole = request && Buffer.concat(request.sent)
          const status = outcome === 'broken' ? outcome : outcome.status
          if (each.fate === 'served') {
            expect(status).toBe(200)
            expect(outcome !== 'broken' && outcome.body.equals(whole!), 'byte for byte').toBe(true)
            learned++
          }
          if (each.fate === 'status')
            expect([status, outcome !== 'broken' && outcome.body.equals(whole!)]).toEqual([503, true])
          if (each.fate === 'malformed') expect([status, request]).toEqual([400, undefined])
          if (each.fate === 'huge') expect([status, request]).toEqual([413, undefined])
          if (each.fate === 'reset') expect(status).toBe(502)
          if (each.fate === 'reset-inside') expect(status).toBe(each.stream ? 'broken' : 502)
          if (each.fate.startsWith('leave')) expect(status).toBe('broken')
        }
        expect(observed).toHaveLength(learned)
        expect(gateway.renderMetrics()).toContain('\ntrimtab_gateway_buffered_bytes 0\n')
      } finally {
        agent.destroy()
        await started.close()
      }
    }),
    { numRuns: 12 },
  )
})
