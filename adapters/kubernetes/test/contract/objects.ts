import { expect, it } from 'vitest'
import { DEPLOYMENTS, type KubernetesError, LEASES } from '../../src/index.js'
import { CONFIG_MAPS, configMap, deployment } from '../objects.js'
import type { Server } from './server.js'

const failure = (work: Promise<unknown>): Promise<KubernetesError> =>
  work.then(
    () => expect.unreachable('it was accepted'),
    (error) => error,
  )

export function objectsContract(server: () => Server): void {
  it('creates, reads and deletes; names what is not there (404) and what is there already (409)', async () => {
    const { client, namespace } = server()
    const ref = { namespace, name: 'made' }
    expect(await failure(client.get(CONFIG_MAPS, ref))).toMatchObject({
      httpStatus: 404,
      code: 'api_not_found',
      answer: { details: { name: 'made', kind: 'configmaps' } },
    })
    const made = await client.create(CONFIG_MAPS, configMap(namespace, 'made', { a: '1' }))
    expect(made).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap', metadata: ref, data: { a: '1' } })
    expect(made.metadata?.uid).toBeTruthy()
    expect(await client.get(CONFIG_MAPS, ref)).toMatchObject({
      data: { a: '1' },
      metadata: { uid: made.metadata!.uid },
    })
    expect(await failure(client.create(CONFIG_MAPS, configMap(namespace, 'made')))).toMatchObject({
      httpStatus: 409,
      code: 'api_already_exists',
    })
    await client.delete(CONFIG_MAPS, ref)
    expect(await failure(client.get(CONFIG_MAPS, ref))).toMatchObject({ httpStatus: 404 })
  })

  it('completes a name that is generated', async () => {
    const { client, namespace } = server()
    const { metadata } = await client.create(CONFIG_MAPS, { metadata: { namespace, generateName: 'some-' } })
    expect(metadata?.name).toMatch(/^some-.{5}$/)
  })

  it('refuses a write to an older version (409), and changes the version with every change', async () => {
    const { client, namespace } = server()
    const first = await client.create(CONFIG_MAPS, configMap(namespace, 'versions', { a: '1' }))
    const second = await client.replace(CONFIG_MAPS, { ...first, data: { a: '2' } })
    expect(second.metadata!.resourceVersion).not.toBe(first.metadata!.resourceVersion)
    expect(await failure(client.replace(CONFIG_MAPS, { ...first, data: { a: '3' } }))).toMatchObject({
      httpStatus: 409,
      code: 'api_conflict',
    })
    const stale = { metadata: { resourceVersion: first.metadata!.resourceVersion }, data: { a: '4' } }
    expect(await failure(client.merge(CONFIG_MAPS, { namespace, name: 'versions' }, stale))).toMatchObject({
      httpStatus: 409,
    })
    expect((await client.get(CONFIG_MAPS, { namespace, name: 'versions' })).data).toEqual({ a: '2' })
  })

  it('does not make a new version of what has not changed', async () => {
    const { client, namespace } = server()
    const made = await client.create(CONFIG_MAPS, configMap(namespace, 'same', { a: '1' }))
    const again = await client.merge(CONFIG_MAPS, { namespace, name: 'same' }, { data: { a: '1' } })
    expect(again.metadata!.resourceVersion).toBe(made.metadata!.resourceVersion)
  })

  it('deletes only the object that is meant', async () => {
    const { client, namespace } = server()
    await client.create(CONFIG_MAPS, configMap(namespace, 'meant'))
    const ref = { namespace, name: 'meant' }
    expect(
      await failure(client.delete(CONFIG_MAPS, ref, { uid: '00000000-0000-0000-0000-000000000000' })),
    ).toMatchObject({ httpStatus: 409, code: 'api_conflict' })
    await client.get(CONFIG_MAPS, ref)
  })

  it('says everything that is wrong with an object, by field (422)', async () => {
    const { client, namespace } = server()
    const wrong = deployment(namespace, 'wrong', -1)
    const template = { ...wrong.spec!.template, metadata: { labels: { app: 'other' } } }
    const { httpStatus, code, answer } = await failure(
      client.create(DEPLOYMENTS, { ...wrong, spec: { ...wrong.spec!, template } }),
    )
    expect([httpStatus, code]).toEqual([422, 'api_invalid'])
    const fields = answer.details!.causes!.map(({ field }) => field)
    expect(fields).toEqual(expect.arrayContaining(['spec.replicas', 'spec.template.metadata.labels']))
    expect(
      await failure(
        client.create(LEASES, {
          metadata: { namespace, name: 'none' },
          spec: { holderIdentity: 'x', leaseDurationSeconds: 0 },
        }),
      ),
    ).toMatchObject({ httpStatus: 422 })
    expect(await failure(client.create(CONFIG_MAPS, configMap(namespace, 'Not_A_Name')))).toMatchObject({
      httpStatus: 422,
    })
  })

  it('refuses another object than the path names (400)', async () => {
    const { client, namespace } = server()
    await client.create(CONFIG_MAPS, configMap(namespace, 'path'))
    const path = `/api/v1/namespaces/${namespace}/configmaps/path`
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name: 'another' } }
    expect(await failure(client.request({ method: 'PUT', path, body }))).toMatchObject({
      httpStatus: 400,
      code: 'api_bad_request',
    })
    expect(await failure(client.request({ method: 'PATCH', path, body: {}, contentType: 'text/plain' }))).toMatchObject(
      { httpStatus: 415 },
    )
  })

  it('keeps nothing of a dry run', async () => {
    const { client, namespace } = server()
    const dry = await client.create(CONFIG_MAPS, configMap(namespace, 'dry'), { isDryRun: true })
    expect(dry.metadata?.uid).toBeTruthy()
    expect(await failure(client.get(CONFIG_MAPS, { namespace, name: 'dry' }))).toMatchObject({ httpStatus: 404 })
  })

  it('merges: what is there replaces, null removes, the rest stays', async () => {
    const { client, namespace } = server()
    await client.create(CONFIG_MAPS, configMap(namespace, 'merged', { a: '1', b: '2', c: '3' }))
    const merged = await client.merge(CONFIG_MAPS, { namespace, name: 'merged' }, { data: { a: '9', b: null } })
    expect(merged.data).toEqual({ a: '9', c: '3' })
  })

  it('lists in pages that all show one moment', async () => {
    const { client, namespace } = server()
    for (const name of ['p1', 'p2', 'p3', 'p4', 'p5'])
      await client.create(CONFIG_MAPS, configMap(namespace, name, {}, { paged: 'yes' }))
    const { items, resourceVersion } = await client.list(CONFIG_MAPS, {
      namespace,
      labelSelector: 'paged=yes',
      pageSize: 2,
    })
    expect(items.map(({ metadata }) => metadata?.name)).toEqual(['p1', 'p2', 'p3', 'p4', 'p5'])
    expect(Number(resourceVersion)).toBeGreaterThan(0)
    const path = `/api/v1/namespaces/${namespace}/configmaps`
    const query = { labelSelector: 'paged=yes', limit: 2 }
    const first = await client.request<{ metadata: { continue: string } }>({ method: 'GET', path, query })
    await client.create(CONFIG_MAPS, configMap(namespace, 'p0', {}, { paged: 'yes' }))
    await client.delete(CONFIG_MAPS, { namespace, name: 'p5' })
    const rest = await client.request<{ items: { metadata: { name: string } }[] }>({
      method: 'GET',
      path,
      query: { ...query, limit: 9, continue: first.metadata.continue },
    })
    expect(rest.items.map(({ metadata }) => metadata.name)).toEqual(['p3', 'p4', 'p5'])
  })

  it('refuses a page of a moment that is forgotten (410)', async ({ skip }) => {
    const { client, namespace, commands } = server()
    if (!commands) return skip('a real server forgets after minutes, not on command')
    const path = `/api/v1/namespaces/${namespace}/configmaps`
    const first = await client.request<{ metadata: { continue: string } }>({ method: 'GET', path, query: { limit: 1 } })
    await client.create(CONFIG_MAPS, configMap(namespace, 'later'))
    commands.forget()
    expect(
      await failure(client.request({ method: 'GET', path, query: { limit: 1, continue: first.metadata.continue } })),
    ).toMatchObject({ httpStatus: 410, code: 'api_expired' })
  })

  it.each([
    ['colour=red', ['s1']],
    ['colour!=red', ['s2', 's3']],
    ['colour in (red, green)', ['s1', 's2']],
    ['colour notin (red,green)', ['s3']],
    ['!colour', ['s3']],
    ['colour', ['s1', 's2']],
    ['colour=red,size=big', []],
  ])('selects by labels: %s', async (labelSelector, names) => {
    const { client, namespace } = server()
    for (const [name, labels] of Object.entries({
      s1: { colour: 'red' },
      s2: { colour: 'green', size: 'big' },
      s3: {},
    }))
      await client.apply(CONFIG_MAPS, configMap(namespace, name, {}, { selected: 'yes', ...labels }))
    const { items } = await client.list(CONFIG_MAPS, { namespace, labelSelector: `selected=yes,${labelSelector}` })
    expect(items.map(({ metadata }) => metadata?.name)).toEqual(names)
  })

  it('selects by name as a field, and refuses fields that it cannot select by (400)', async () => {
    const { client, namespace } = server()
    await client.create(CONFIG_MAPS, configMap(namespace, 'by-field'))
    const { items } = await client.list(CONFIG_MAPS, { namespace, fieldSelector: 'metadata.name=by-field' })
    expect(items).toHaveLength(1)
    expect(await failure(client.list(CONFIG_MAPS, { namespace, fieldSelector: 'data.a=1' }))).toMatchObject({
      httpStatus: 400,
    })
  })

  it('says what it can', () => {
    const { capabilities } = server()
    expect(capabilities.version).toMatch(/^v1\.\d+\./)
    expect(capabilities.eviction).toMatch(/^policy\/v1(beta1)?$/)
    expect(capabilities.disruptionBudgets).toMatch(/^policy\/v1(beta1)?$/)
    expect(capabilities.horizontalAutoscalers).toMatch(/^autoscaling\/v2(beta2)?$/)
  })
}
