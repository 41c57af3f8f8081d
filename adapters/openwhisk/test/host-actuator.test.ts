import { AdapterError } from '@trimtab/core'
import { describe, expect, it } from 'vitest'
import { type ContainerShares, HostActuator, type HostContainer } from '../src/index.js'

/** A tree of containers without a host. */
class FakeTree implements ContainerShares {
  readonly containers: Map<string, HostContainer>
  readonly writes: string[] = []
  /** What goes wrong with a container, by id. */
  readonly faults = new Map<string, string>()

  constructor(...containers: readonly (readonly [name: string, labels?: Record<string, string>])[]) {
    this.containers = new Map(
      containers.map(([name, labels = {}], i) => [`${i}`, { id: `${i}`, name, labels, cpuShares: 256 }]),
    )
  }

  async list(): Promise<HostContainer[]> {
    return [...this.containers.values()]
  }

  async set(id: string, cpuShares: number): Promise<void> {
    const fault = this.faults.get(id)
    if (fault !== undefined) throw new AdapterError(fault, 'as it was told')
    this.containers.set(id, { ...this.containers.get(id)!, cpuShares })
    this.writes.push(id)
  }

  get shares(): number[] {
    return [...this.containers.values()].map(({ cpuShares }) => cpuShares)
  }
}

const POD = { 'user-action-pod': 'true' }
const wanting = (wishes: Readonly<Record<string, number>>) =>
  new Map(Object.entries(wishes).map(([action, shares]) => [action, { containers: 1, shares, keepAliveSeconds: 0 }]))

describe('the host mode', () => {
  it('moves the shares of an action’s containers, by the names that invokers give', async () => {
    const tree = new FakeTree(
      ['wsk0_1_guest_hello'],
      ['/wskeast12_345_guest_hello'],
      ['wskinvoker-00-7-guest-hello', POD],
      ['wsk0_2_guest_helloworld'],
      ['wsk0_3_other_hello'],
      ['wsk0_4_other_guest_hello'],
      ['wsk0_5_prewarm_nodejs20'],
      ['wskinvoker-00-8-guest-hello'], // no label: no pod of an action
      ['database_1_guest_hello'],
    )
    const change = (await new HostActuator({ shares: tree, namespace: 'guest' }).apply(wanting({ hello: 512 }))).get(
      'hello',
    )
    expect(change).toMatchObject({ state: 'changed', inForce: { containers: 3, shares: 512 }, errors: [] })
    expect(tree.shares).toEqual([512, 512, 512, 256, 256, 256, 256, 256, 256])
  })

  it('finds names whose signs an invoker leaves out, and pods in small letters', async () => {
    const tree = new FakeTree(['wsk0_1_myspace_myaction_v2'], ['wskinvoker-0-1-myspace-myaction-v2', POD])
    const actuator = new HostActuator({ shares: tree, namespace: 'my-space' })
    await actuator.apply(wanting({ 'package/my-action_v2': 512 }))
    expect(tree.shares).toEqual([512, 512])
    const upper = new FakeTree(['wskinvoker-0-1-guest-hello', POD])
    await new HostActuator({ shares: upper, namespace: 'guest' }).apply(wanting({ Hello: 512 }))
    expect(upper.shares).toEqual([512])
  })

  it('touches none that may be of either of two actions', async () => {
    const tree = new FakeTree(['wsk0_1_guest_hello'], ['wsk0_2_guest_bye'])
    const actuator = new HostActuator({ shares: tree, namespace: 'guest' })
    const changes = await actuator.apply(wanting({ 'a/hello': 512, 'b/hello': 128, bye: 300 }))
    expect([...changes.values()].map(({ state }) => state)).toEqual(['ambiguous', 'ambiguous', 'changed'])
    expect(tree.shares).toEqual([256, 300])
  })

  it('stays within what Linux has, and holds what a decision leaves open', async () => {
    const tree = new FakeTree(['wsk0_1_guest_hello'])
    const actuator = new HostActuator({ shares: tree, namespace: 'guest' })
    for (const [shares, expected] of [
      [1e9, 262_144],
      [-3, 2],
      [NaN, 2],
    ] as const) {
      await actuator.apply(wanting({ hello: shares }))
      expect(tree.shares).toEqual([expected])
    }
    expect(tree.writes).toHaveLength(2)
  })

  it('writes only what is to change, and nothing in a dry run', async () => {
    const tree = new FakeTree(['wsk0_1_guest_hello'])
    const dry = new HostActuator({ shares: tree, namespace: 'guest', dryRun: true })
    expect((await dry.apply(wanting({ hello: 512 }))).get('hello')).toMatchObject({ state: 'planned' })
    const actuator = new HostActuator({ shares: tree, namespace: 'guest' })
    expect((await actuator.apply(wanting({ hello: 256 }))).get('hello')).toMatchObject({ state: 'unchanged' })
    expect(tree.writes).toEqual([])
  })

  it('goes on where a container has ended, and says where one could not be moved', async () => {
    const tree = new FakeTree(['wsk0_1_guest_hello'], ['wsk0_2_guest_hello'], ['wsk0_3_guest_hello'])
    const actuator = new HostActuator({ shares: tree, namespace: 'guest' })
    tree.faults.set('0', 'container_gone')
    expect((await actuator.apply(wanting({ hello: 512 }))).get('hello')).toMatchObject({
      state: 'changed',
      inForce: { containers: 2, shares: 512 },
    })
    tree.faults.set('1', 'permission_denied')
    expect((await actuator.apply(wanting({ hello: 600 }))).get('hello')).toMatchObject({
      state: 'failed',
      inForce: { shares: NaN },
      errors: [{ code: 'permission_denied' }],
    })
    expect(tree.shares).toEqual([256, 512, 600])
  })
})
