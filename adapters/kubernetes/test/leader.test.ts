import { describe, expect, it } from 'vitest'
import { LEASES, LeaderElection, type LeaderOptions } from '../src/index.js'
import { during, open, openClient } from './opened.js'
import { StatusError } from './stand-in/status-error.js'

const LEASE = { namespace: 'default', name: 'trimtab' }
const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve()))
const options = (identity: string, more: Partial<LeaderOptions> = {}): LeaderOptions => ({
  ...LEASE,
  identity,
  leaseSeconds: 1,
  retrySeconds: 0.02,
  ...more,
})

/** Counts who leads, at the same time too. */
class Terms {
  readonly began: string[] = []
  readonly leading = new Set<string>()
  most = 0

  lead =
    (identity: string) =>
    async (signal: AbortSignal): Promise<void> => {
      this.began.push(identity)
      this.leading.add(identity)
      this.most = Math.max(this.most, this.leading.size)
      await untilAborted(signal)
      this.leading.delete(identity)
    }
}

describe('leader election', () => {
  it('lets one of several lead, and the next one at once when it ends', async () => {
    const { standIn } = await open()
    const terms = new Terms()
    const endings = await Promise.all(
      ['a', 'b', 'c'].map(async (identity) => {
        const election = new LeaderElection(await openClient(standIn), options(identity, { leaseSeconds: 60 }))
        const ending = new AbortController()
        during((signal) => election.run(terms.lead(identity), AbortSignal.any([signal, ending.signal])))
        return { identity, ending }
      }),
    )
    await expect.poll(() => terms.began.length).toBe(1)
    const first = endings.find(({ identity }) => identity === terms.began[0])!
    first.ending.abort()
    await expect.poll(() => terms.began.length).toBe(2) // although its lease would have held for a minute
    expect(terms.most).toBe(1)
    expect(terms.began[1]).not.toBe(terms.began[0])
  })

  it('takes over from a leader that died, after its lease has run out', async () => {
    const { client } = await open()
    const spec = {
      holderIdentity: 'dead',
      leaseDurationSeconds: 1,
      renewTime: new Date().toISOString(),
      leaseTransitions: 4,
    }
    await client.create(LEASES, { metadata: LEASE, spec })
    const terms = new Terms()
    const started = performance.now()
    const election = new LeaderElection(client, options('a'))
    during((signal) => election.run(terms.lead('a'), signal))
    await expect.poll(() => election.leader).toBe('dead')
    await expect.poll(() => terms.began).toEqual(['a'])
    expect(performance.now() - started).toBeGreaterThanOrEqual(1000)
    expect((await client.get(LEASES, LEASE)).spec).toMatchObject({ holderIdentity: 'a', leaseTransitions: 5 })
  })

  it.each([-600, 600])('does not believe the clock of a leader that is %i s off', async (skew) => {
    const { client } = await open()
    const renewed = (): string => new Date(Date.now() + skew * 1000).toISOString()
    const spec = { holderIdentity: 'other', leaseDurationSeconds: 1 }
    await client.create(LEASES, { metadata: LEASE, spec: { ...spec, renewTime: renewed() } })
    const terms = new Terms()
    during((signal) => new LeaderElection(client, options('a')).run(terms.lead('a'), signal))
    for (let renewals = 0; renewals < 8; renewals++) {
      await new Promise((resolve) => setTimeout(resolve, 200))
      await client.merge(LEASES, LEASE, { spec: { renewTime: renewed() } })
    }
    expect(terms.began).toEqual([]) // it renewed all the time
    await expect.poll(() => terms.began).toEqual(['a']) // it no longer does
  })

  it('stops leading when it cannot renew, before anybody else may begin', async () => {
    const { standIn } = await open()
    const terms = new Terms()
    const [mine, other] = [await openClient(standIn), await openClient(standIn)]
    during((signal) => new LeaderElection(mine, options('a')).run(terms.lead('a'), signal))
    await expect.poll(() => terms.began).toEqual(['a'])
    let isCut = true
    standIn.fault = ({ verb }) =>
      verb === 'update' && isCut ? new StatusError(500, 'InternalError', 'read-only') : undefined
    during((signal) => new LeaderElection(other, options('b')).run(terms.lead('b'), signal))
    await expect.poll(() => terms.leading.size).toBe(0)
    isCut = false
    await expect.poll(() => terms.began.length).toBe(2)
    expect(terms.most).toBe(1)
  })

  it('stops leading when somebody else has taken the lease', async () => {
    const { client } = await open()
    const terms = new Terms()
    during((signal) => new LeaderElection(client, options('a')).run(terms.lead('a'), signal))
    await expect.poll(() => terms.began).toEqual(['a'])
    await client.merge(LEASES, LEASE, { spec: { holderIdentity: 'b' } })
    await expect.poll(() => terms.leading.size).toBe(0)
    expect((await client.get(LEASES, LEASE)).spec?.holderIdentity).toBe('b')
  })

  it('gives the lease back although it ended in the middle of a renewal that was carried out', async () => {
    const { standIn, client } = await open()
    const ending = new AbortController()
    const terms = new Terms()
    const running = new LeaderElection(client, options('a', { leaseSeconds: 60 })).run(terms.lead('a'), ending.signal)
    await expect.poll(() => terms.began).toEqual(['a'])
    standIn.fault = ({ verb }) => {
      if (verb === 'update') ending.abort() // the answer reaches nobody
      return undefined
    }
    await running
    expect((await client.get(LEASES, LEASE)).spec?.holderIdentity).toBe('')
  })

  it.each([
    [{ identity: '' }, /identity must not be empty/],
    [{ leaseSeconds: 0.5 }, /leaseSeconds must be at least 1, got 0\.5/],
    [{ leaseSeconds: 10, renewSeconds: 10 }, /renewSeconds must be below leaseSeconds \(10\), got 10/],
    [
      { leaseSeconds: 10, renewSeconds: 5, retrySeconds: 4 },
      /retrySeconds must be above 0 and well below renewSeconds \(5\), got 4/,
    ],
    [{ leaseDuration: 10 }, /options\.leaseDuration is no option/],
  ])('refuses options by which two could lead: %j', async (wrong, message) => {
    const { client } = await open()
    expect(() => new LeaderElection(client, { ...options('a'), ...wrong })).toThrow(
      expect.objectContaining({ code: 'config_invalid', message: expect.stringMatching(message) }),
    )
  })

  it('tells what the work failed with, and gives the lease back', async () => {
    const { client } = await open()
    const failing = async (): Promise<void> => {
      throw new Error('work failed')
    }
    await expect(new LeaderElection(client, options('a')).run(failing, new AbortController().signal)).rejects.toThrow(
      'work failed',
    )
    expect((await client.get(LEASES, LEASE)).spec?.holderIdentity).toBe('')
  })
})
