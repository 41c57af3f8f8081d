import { expect, it } from 'vitest'
import { type ApplyOptions, DEPLOYMENTS, type WorkloadObject } from '../../src/index.js'
import { CONFIG_MAPS, configMap, deployment } from '../objects.js'
import type { Server } from './server.js'

const by = (fieldManager: string, more: ApplyOptions = {}): ApplyOptions => ({ fieldManager, ...more })

/** Who owns what, as `manager operation: paths`. */
const owners = ({ metadata }: WorkloadObject): string[] =>
  metadata!.managedFields!.map(({ manager, operation }) => `${manager} ${operation}`)

export function applyContract(server: () => Server): void {
  it('makes what is not there, and changes what is, by server-side apply', async () => {
    const { client, namespace } = server()
    const made = await client.apply(CONFIG_MAPS, configMap(namespace, 'applied', { a: '1', b: '2' }), by('me'))
    expect(made.data).toEqual({ a: '1', b: '2' })
    const changed = await client.apply(CONFIG_MAPS, configMap(namespace, 'applied', { a: '3', b: '2' }), by('me'))
    expect(changed.data).toEqual({ a: '3', b: '2' })
    expect(changed.metadata?.managedFields).toMatchObject([
      {
        manager: 'me',
        operation: 'Apply',
        apiVersion: 'v1',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:data': { 'f:a': {}, 'f:b': {} } },
      },
    ])
  })

  it('removes what an applier no longer says, unless somebody else says it', async () => {
    const { client, namespace } = server()
    await client.apply(CONFIG_MAPS, configMap(namespace, 'given-up', { a: '1', b: '2' }), by('me'))
    await client.apply(CONFIG_MAPS, configMap(namespace, 'given-up', { b: '2', c: '3' }), by('other'))
    const { data } = await client.apply(CONFIG_MAPS, { metadata: { namespace, name: 'given-up' } }, by('me'))
    expect(data).toEqual({ b: '2', c: '3' })
  })

  it('fills a map that was applied empty, and lets an item of a list go as a whole', async () => {
    const { client, namespace, image } = server()
    await client.apply(CONFIG_MAPS, configMap(namespace, 'filled', {}), by('me'))
    const { data } = await client.apply(CONFIG_MAPS, configMap(namespace, 'filled', { a: '1' }), by('me'))
    expect(data).toEqual({ a: '1' })
    const one = deployment(namespace, 'one-less', 0, image)
    const { spec } = one.spec!.template
    const containers = [...spec!.containers, { ...spec!.containers[0]!, name: 'second' }]
    const two = { ...one, spec: { ...one.spec!, template: { ...one.spec!.template, spec: { ...spec!, containers } } } }
    await client.apply(DEPLOYMENTS, two, by('me'))
    const left = await client.apply(DEPLOYMENTS, one, by('me'))
    expect(left.spec!.template.spec!.containers.map(({ name }) => name)).toEqual(['main'])
    await client.delete(DEPLOYMENTS, { namespace, name: 'one-less' })
  })

  it('refuses a field that another manager has set otherwise, names both, and takes it by force', async () => {
    const { client, namespace } = server()
    await client.apply(CONFIG_MAPS, configMap(namespace, 'disputed', { a: '1' }), by('me'))
    const refused = client.apply(CONFIG_MAPS, configMap(namespace, 'disputed', { a: '2' }), by('other'))
    await expect(refused).rejects.toMatchObject({
      httpStatus: 409,
      code: 'api_conflict',
      message: expect.stringMatching(/conflict with "me".*\.data\.a/),
      answer: { details: { causes: [{ reason: 'FieldManagerConflict', field: '.data.a' }] } },
    })
    await client.apply(CONFIG_MAPS, configMap(namespace, 'disputed', { a: '1' }), by('other')) // the same value is no dispute
    const taken = await client.apply(
      CONFIG_MAPS,
      configMap(namespace, 'disputed', { a: '2' }),
      by('other', { force: true }),
    )
    expect(taken.data).toEqual({ a: '2' })
    const back = client.apply(CONFIG_MAPS, configMap(namespace, 'disputed', { a: '1' }), by('me'))
    await expect(back).rejects.toMatchObject({ message: expect.stringContaining('conflict with "other"') })
  })

  it('lets replicas go from who applied them to who scales', async () => {
    const { client, namespace } = server()
    const ref = { namespace, name: 'scaled-apart' }
    await client.apply(DEPLOYMENTS, deployment(namespace, ref.name, 0), by('platform'))
    await client.setScale(DEPLOYMENTS, ref, 1, { fieldManager: 'autoscaler' })
    const { replicas: _, ...spec } = deployment(namespace, ref.name, 0).spec!
    const applied = await client.apply(DEPLOYMENTS, { metadata: ref, spec }, by('platform'))
    expect(applied.spec!.replicas).toBe(1)
    await expect(client.apply(DEPLOYMENTS, deployment(namespace, ref.name, 0), by('platform'))).rejects.toMatchObject({
      code: 'api_conflict',
      message: expect.stringContaining('conflict with "autoscaler"'),
    })
    expect(owners(applied)).toEqual(expect.arrayContaining(['platform Apply', 'autoscaler Update']))
    await client.delete(DEPLOYMENTS, ref)
  })

  it('owns containers by their names: two managers share one list', async () => {
    const { client, namespace } = server()
    const ref = { namespace, name: 'shared-list' }
    await client.apply(DEPLOYMENTS, deployment(namespace, ref.name, 0), by('platform'))
    const resources = { limits: { memory: '128Mi' } }
    const template = { spec: { containers: [{ name: 'main', resources }] } }
    const patch = { metadata: ref, spec: { template } } as unknown as WorkloadObject
    const applied = await client.apply(DEPLOYMENTS, patch, by('sizer', { force: true }))
    const [container] = applied.spec!.template.spec!.containers
    expect(container).toMatchObject({
      name: 'main',
      image: expect.any(String),
      resources: { requests: { cpu: '10m' }, limits: { cpu: '100m', memory: '128Mi' } },
    })
    await client.delete(DEPLOYMENTS, ref)
  })

  it('removes items of a list that an applier no longer says', async () => {
    const { client, namespace } = server()
    const ref = { namespace, name: 'shorter-list' }
    const whole = deployment(namespace, ref.name, 0)
    const [main] = whole.spec!.template.spec!.containers
    const { spec } = whole.spec!.template
    const containers = [main!, { ...main!, name: 'second' }]
    const longer = { ...whole.spec!, template: { ...whole.spec!.template, spec: { ...spec!, containers } } }
    await client.apply(DEPLOYMENTS, { ...whole, spec: longer }, by('me'))
    const applied = await client.apply(DEPLOYMENTS, whole, by('me'))
    expect(applied.spec!.template.spec!.containers.map(({ name }) => name)).toEqual(['main'])
    await client.delete(DEPLOYMENTS, ref)
  })
}
