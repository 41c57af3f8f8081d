import { describe, expect, it } from 'vitest'
import { ask, openStandIn } from './stand-in/index.js'

const CODE = 'const main = (params) => params'

describe('the REST front, driven by the official client', () => {
  it('makes an action and new versions of it, which keep what is not named', async () => {
    const { official } = await openStandIn()
    const first = await official.actions.update({ name: 'hello', action: CODE, kind: 'nodejs:20', params: { a: 1 } })
    expect(first).toMatchObject({
      namespace: 'guest',
      name: 'hello',
      version: '0.0.1',
      exec: { kind: 'nodejs:20', code: CODE, binary: false },
      limits: { timeout: 60_000, memory: 256, logs: 10, concurrency: 1 },
      parameters: [{ key: 'a', value: 1 }],
    })
    const second = await official.actions.update({ name: 'hello', limits: { memory: 512 } } as never)
    expect(second).toMatchObject({
      version: '0.0.2',
      exec: { code: CODE },
      limits: { memory: 512, timeout: 60_000 },
      parameters: [{ key: 'a', value: 1 }],
    })
    expect(await official.actions.get('hello')).toEqual(second)
    const [listed] = await official.actions.list()
    expect(listed).toMatchObject({ name: 'hello', version: '0.0.2', limits: { memory: 512 } })
    expect(listed).not.toHaveProperty('exec.code')
  })

  it('makes no action twice unless it is told to overwrite it', async () => {
    const { official } = await openStandIn()
    await official.actions.create({ name: 'hello', action: CODE })
    await expect(official.actions.create({ name: 'hello', action: CODE })).rejects.toMatchObject({ statusCode: 409 })
  })

  it('refuses an edit while another one is under way, and an action of which nothing is said', async () => {
    const { official, platform } = await openStandIn()
    let open = (): void => {}
    platform.gate = new Promise((resolve) => {
      open = resolve
    })
    const slow = official.actions.update({ name: 'hello', action: CODE })
    await expect
      .poll(() => official.actions.update({ name: 'hello', action: CODE }).catch((error) => error.statusCode))
      .toBe(409)
    open()
    expect((await slow).version).toBe('0.0.1')
    await expect(official.actions.update({ name: 'new', limits: {} } as never)).rejects.toMatchObject({
      statusCode: 400,
    })
  })

  it('forgets a deleted action', async () => {
    const { official } = await openStandIn()
    await official.actions.update({ name: 'hello', action: CODE })
    expect(await official.actions.delete('hello')).toMatchObject({ name: 'hello' })
    await expect(official.actions.get('hello')).rejects.toMatchObject({
      statusCode: 404,
      error: { error: 'The requested resource does not exist.' },
    })
    await expect(official.actions.invoke({ name: 'hello' })).rejects.toMatchObject({ statusCode: 404 })
  })

  it('answers a blocking call with the record, or its result only, and says which start was cold', async () => {
    const { official, platform } = await openStandIn()
    await official.actions.update({ name: 'hello', action: CODE, params: { a: 1, b: 1 } })
    const cold = await platform.until(official.actions.invoke({ name: 'hello', blocking: true, params: { b: 2 } }))
    expect(cold).toMatchObject({
      namespace: 'guest',
      name: 'hello',
      version: '0.0.1',
      duration: 250,
      response: { status: 'success', success: true, result: { echo: { a: 1, b: 2 } } },
    })
    expect(cold.annotations).toContainEqual({ key: 'waitTime', value: 400 })
    expect(cold.annotations).toContainEqual({ key: 'initTime', value: 150 })
    const warm = await platform.until(official.actions.invoke({ name: 'hello', blocking: true }))
    expect(warm.annotations).toContainEqual({ key: 'waitTime', value: 0 })
    expect(warm.annotations!.map(({ key }) => key)).not.toContain('initTime')
    const call = official.actions.invoke({ name: 'hello', blocking: true, result: true })
    expect(await platform.until(call)).toEqual({ echo: { a: 1, b: 1 } })
  })

  it('answers 502 where the function fails by itself', async () => {
    const { official, platform } = await openStandIn()
    await official.actions.update({ name: 'hello', action: CODE })
    const call = official.actions.invoke({ name: 'hello', blocking: true, params: { fail: true } })
    await expect(platform.until(call)).rejects.toMatchObject({
      statusCode: 502,
      error: { statusCode: 1, response: { status: 'application error', success: false } },
    })
  })

  it('lists activations by start, the latest first, in pages and between two times', async () => {
    const { official, platform } = await openStandIn()
    await official.actions.update({ name: 'hello', action: CODE })
    await official.actions.update({ name: 'other', action: CODE })
    const starts: number[] = []
    for (let i = 0; i < 5; i++) {
      const call = official.actions.invoke({ name: i === 2 ? 'other' : 'hello', blocking: true })
      starts.unshift((await platform.until(call)).start)
      await platform.advance(1000)
    }
    const startsOf = async (options: object): Promise<number[]> =>
      ((await official.activations.list(options as never)) as unknown as { start: number }[]).map(({ start }) => start)
    expect(await startsOf({})).toEqual(starts)
    expect(await startsOf({ skip: 1, limit: 2 })).toEqual(starts.slice(1, 3))
    expect(await startsOf({ since: starts[3], upto: starts[1] })).toEqual(starts.slice(1, 4)) // both ends count
    expect(await startsOf({ name: 'other' })).toEqual([starts[2]])
    const [summary] = await official.activations.list({ limit: 1 })
    expect(summary).not.toHaveProperty('response')
    const [whole] = await official.activations.list({ limit: 1, docs: true } as never)
    expect(whole).toEqual(await official.activations.get(summary!.activationId))
  })
})

describe('the REST front', () => {
  it('gives a call that is not waited for its id at once, and one that takes long after a while', async () => {
    const { official, platform, server } = await openStandIn({}, { mostBlockingMs: 50 })
    await official.actions.update({ name: 'hello', action: CODE })
    const path = '/namespaces/_/actions/hello'
    const accepted = await ask(server, path, { method: 'POST' })
    expect([accepted.status, Object.keys(accepted.body)]).toEqual([202, ['activationId']])
    const late = await ask(server, `${path}?blocking=true&timeout=20`, { method: 'POST' })
    expect(late.status).toBe(202)
    expect(late.headers.get('x-openwhisk-activation-id')).toBe((late.body as { activationId: string }).activationId)
    expect((await ask(server, '/namespaces/_/activations')).body).toEqual([])
    await platform.advance(10_000)
    expect((await ask(server, '/namespaces/_/activations')).body).toHaveLength(2)
  })

  it('tells the limits as they are now', async () => {
    const { platform, server } = await openStandIn()
    expect((await ask(server, '/namespaces/guest/limits')).body).toMatchObject({ maxActionMemory: 512 })
    platform.namespaceLimits = { ...platform.namespaceLimits, maxActionMemory: 300 }
    expect((await ask(server, '/namespaces/_/limits')).body).toMatchObject({ maxActionMemory: 300 })
  })

  it.each([
    ['memory', 513],
    ['memory', 127],
    ['instances', 31],
    ['concurrency', 11],
    ['memory', 200.5],
  ])('refuses %s %d, which its namespace may not have, and changes nothing', async (name, value) => {
    const { official, server } = await openStandIn()
    await official.actions.update({ name: 'hello', action: CODE })
    const body = JSON.stringify({ limits: { [name]: value } })
    const refused = await ask(server, '/namespaces/_/actions/hello?overwrite=true', { method: 'PUT', body })
    expect(refused.status).toBe(400)
    expect((await official.actions.get('hello')).version).toBe('0.0.1')
  })

  it('holds a namespace to its calls a minute and at once', async () => {
    const { official, platform, server } = await openStandIn()
    platform.namespaceLimits = { ...platform.namespaceLimits, concurrentInvocations: 2, invocationsPerMinute: 3 }
    await official.actions.update({ name: 'hello', action: CODE })
    const call = () => ask(server, '/namespaces/_/actions/hello', { method: 'POST' })
    expect([(await call()).status, (await call()).status]).toEqual([202, 202])
    expect((await call()).body).toMatchObject({
      error: 'Too many concurrent requests in flight (count: 3, allowed: 2).',
    })
    await platform.advance(10_000)
    expect((await call()).status).toBe(202)
    await platform.advance(10_000)
    const refused = await call()
    expect(refused.status).toBe(429)
    expect(refused.body).toMatchObject({ error: 'Too many requests in the last minute (count: 4, allowed: 3).' })
    await platform.advance(50_000)
    expect((await call()).status).toBe(202)
  })

  it('keeps what belongs to one namespace from another', async () => {
    const { official, server } = await openStandIn()
    await official.actions.update({ name: 'hello', action: CODE })
    expect((await ask(server, '/namespaces', { auth: 'other:secret' })).body).toEqual(['other'])
    expect((await ask(server, '/namespaces/_/actions/hello', { auth: 'other:secret' })).status).toBe(404)
    expect((await ask(server, '/namespaces/guest/actions/hello', { auth: 'other:secret' })).status).toBe(403)
  })

  const big = JSON.stringify({ text: 'x'.repeat(2 ** 20) })
  it.each<[string, number, string, RequestInit & { auth?: string }]>([
    ['wrong credentials', 401, '/namespaces', { auth: 'guest:wrong' }],
    ['no credentials', 401, '/namespaces', { headers: { authorization: '' } }],
    ['a path that is none', 404, '/nothing', {}],
    ['a collection that it has not', 404, '/namespaces/_/triggers', {}],
    ['another method', 405, '/namespaces/_/limits', { method: 'POST' }],
    ['a body that is not JSON', 400, '/namespaces/_/actions/hello', { method: 'PUT', body: '{' }],
    ['a body that is no object', 400, '/namespaces/_/actions/hello', { method: 'POST', body: '[1]' }],
    ['a body that is too large', 413, '/namespaces/_/actions/hello', { method: 'POST', body: big }],
    ['a page that is too long', 400, '/namespaces/_/activations?limit=201', {}],
    ['a time that is none', 400, '/namespaces/_/activations?since=yesterday', {}],
    ['a name with signs', 400, '/namespaces/_/actions/a%00b', {}],
    ['a name in a package', 404, '/namespaces/_/actions/package/hello', {}],
    ['an escape that is none', 404, '/namespaces/_/actions/%zz', {}],
    ['an id that is none', 400, '/namespaces/_/activations/hello', {}],
    ['an activation that is not there', 404, `/namespaces/_/activations/${'0'.repeat(32)}`, {}],
  ])('refuses %s with %d, and says why', async (_, status, path, init) => {
    const { server } = await openStandIn()
    const answer = await ask(server, path, init)
    expect(answer.status).toBe(status)
    expect(answer.body).toEqual({ error: expect.stringMatching(/\w/), code: expect.stringMatching(/^[0-9a-f]{32}$/) })
  })

  it('keeps as many activations as it was told', async () => {
    const { official, platform } = await openStandIn({}, { mostActivations: 3 })
    await official.actions.update({ name: 'hello', action: CODE })
    for (let i = 0; i < 5; i++) await platform.until(official.actions.invoke({ name: 'hello', blocking: true }))
    expect(await official.activations.list()).toHaveLength(3)
  })

  it('names everything that is wrong with its options', async () => {
    const bad = { namespaces: [], mostBlockingMs: 0, mostActivations: 0, ports: 1 }
    await expect(openStandIn({}, bad as never)).rejects.toThrow(
      /ports is no option.*namespaces.*mostBlockingMs.*mostActivations/s,
    )
  })
})
