import { LEASES, MULTIDIM_POD_AUTOSCALERS, readKubeconfig } from '@trimtab/kubernetes'
import { describe, expect, it } from 'vitest'
import { random, temporaryFile } from '../../kubernetes/test/opened.js'
import { StatusError } from '../../kubernetes/test/stand-in/status-error.js'
import {
  OPERATOR_NAMESPACE,
  Operator,
  type OperatorContext,
  type OperatorOptions,
  type Part,
  type PartFactories,
} from '../src/index.js'
import { autoscalerOf, openCluster, type TestCluster } from './cluster.js'

async function startOperator(
  { standIn }: TestCluster,
  parts: PartFactories,
  options: Partial<OperatorOptions> = {},
): Promise<{
  operator: Operator
  ended: Promise<void>
  end: () => void
  get: (path: string) => Promise<[number, string]>
}> {
  const cluster = await readKubeconfig({ path: await temporaryFile(standIn.kubeconfig()) })
  const clock = standIn.registry.clock
  const operator = await Operator.start({
    ...{ cluster, parts, random, clock, identity: 'one', ports: { metrics: 0 }, periodSeconds: 15, leaseSeconds: 10 },
    ...options,
  })
  const ending = new AbortController()
  const ended = operator.run(ending.signal)
  const get = async (path: string): Promise<[number, string]> => {
    const response = await fetch(`http://127.0.0.1:${operator.ports.metrics}${path}`)
    return [response.status, await response.text()]
  }
  return { operator, ended, end: () => ending.abort(), get }
}

/** A part that says what it sees, and when it ends. */
const recorder =
  (told: string[], name: string) =>
  ({ autoscalers }: OperatorContext): Part => ({
    step: async () => {},
    run: async (signal) => {
      told.push(`${name} sees ${autoscalers.size}`)
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
      told.push(`${name} ends`)
    },
  })

const holderOf = async ({ client }: TestCluster, name: string): Promise<string | undefined> =>
  (await client.get(LEASES, { namespace: OPERATOR_NAMESPACE, name })).spec?.holderIdentity

describe('the operator', () => {
  it('starts a part once all is listed, under its lease, and gives the lease back at the end', async () => {
    const cluster = await openCluster()
    await cluster.client.create(MULTIDIM_POD_AUTOSCALERS, autoscalerOf('web'))
    const told: string[] = []
    const { ended, end, get } = await startOperator(cluster, { recommender: recorder(told, 'recommender') })
    await expect.poll(() => told).toEqual(['recommender sees 1'])
    expect(await holderOf(cluster, 'trimtab-recommender')).toBe('one')
    expect(await get('/readyz')).toEqual([200, 'ok\n'])
    expect((await get('/metrics'))[1]).toMatch(/^trimtab_operator_leader\{part="recommender"\} 1$/m)
    end()
    await ended
    expect(told).toEqual(['recommender sees 1', 'recommender ends'])
    expect(await holderOf(cluster, 'trimtab-recommender')).toBe('')
    await expect(get('/healthz')).rejects.toThrow()
  })

  it('leads a part on one replica at a time, and answers admission on all', async () => {
    const cluster = await openCluster()
    const told: string[] = []
    const partsOf = (name: string): PartFactories => ({
      recommender: recorder(told, `${name}’s recommender`),
      admission: recorder(told, `${name}’s webhook`),
    })
    const one = await startOperator(cluster, partsOf('one'))
    await expect.poll(() => told).toContain('one’s recommender sees 0')
    const two = await startOperator(cluster, partsOf('two'), { identity: 'two' })
    await expect.poll(() => told).toContain('two’s webhook sees 0')
    expect(told).not.toContain('two’s recommender sees 0')
    one.end()
    await one.ended
    await expect.poll(() => told).toContain('two’s recommender sees 0')
    two.end()
    await two.ended
  })

  it('is alive and not ready while a kind cannot be listed, says which and why, and starts nothing', async () => {
    const cluster = await openCluster()
    const told: string[] = []
    cluster.standIn.fault = ({ plural }) =>
      plural === 'pods' ? new StatusError(403, 'Forbidden', 'no role') : undefined
    const { ended, end, get } = await startOperator(cluster, { admission: recorder(told, 'webhook') })
    await expect
      .poll(() => get('/readyz'))
      .toEqual([503, 'pods are not listed yet: GET /api/v1/pods: 403 Forbidden: no role\n'])
    expect((await get('/healthz'))[0]).toBe(200)
    expect((await get('/metrics'))[1]).toMatch(/^trimtab_operator_api_failures_total\{code="api_forbidden"\} [1-9]/m)
    expect(told).toEqual([])
    end()
    await ended
  })

  it('ends as a whole where a part fails, with the lease given back', async () => {
    const cluster = await openCluster()
    const told: string[] = []
    const fails = () => ({ step: async () => {}, run: () => Promise.reject(new Error('a fault of ours')) })
    const { ended } = await startOperator(cluster, { recommender: fails, admission: recorder(told, 'webhook') })
    await expect(ended).rejects.toThrow('a fault of ours')
    expect(told.filter((line) => line.endsWith('ends')).length).toBe(told.length / 2)
    expect(await holderOf(cluster, 'trimtab-recommender')).toBe('')
  })
})
