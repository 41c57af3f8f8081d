import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ContainerShares, HostActuator } from '@trimtab/openwhisk'
import { expect, it } from 'vitest'
import { ContainerGroups, LinuxNode } from '../src/index.js'
import { FakeKernel } from './fake-kernel.js'

const [DOCKER, POD, GONE] = ['1a', '2b', '3c'].map((two) => two.repeat(32)) as [string, string, string]
const PATHS = {
  [DOCKER]: `/cgroup/docker/${DOCKER}`,
  [POD]: `/cgroup/kubepods.slice/kubepods-burstable.slice/cri-containerd-${POD}.scope`,
}

it('what HostActuator of @trimtab/openwhisk moves are the groups of containers, by runtime and name', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'trimtab-linux-'))
  const kernel = new FakeKernel()
  kernel.write('/cgroup/cgroup.subtree_control', '+cpu')
  for (const path of ['docker', 'kubepods.slice', 'kubepods.slice/kubepods-burstable.slice']) {
    kernel.makeFolder(`/cgroup/${path}`)
    kernel.write(`/cgroup/${path}/cgroup.subtree_control`, '+cpu')
  }
  for (const path of Object.values(PATHS)) kernel.makeFolder(path)
  const { machine } = kernel
  const node = LinuxNode.open({ stateFolder: folder, machine })
  const names = new Map([
    [DOCKER, { name: '/wsk0_12_guest_hello' }],
    [POD, { name: 'wskinvoker-00-12-guest-hello', labels: { 'user-action-pod': 'true' } }],
    [GONE, { name: 'wsk0_13_guest_hello' }],
  ])
  const shares: ContainerShares = new ContainerGroups({ node, machine, names: async () => names })
  const actuator = new HostActuator({ shares, namespace: 'guest' })
  const allocation = { containers: Number.NaN, shares: 2048, memoryMiB: Number.NaN, keepAliveSeconds: Number.NaN }
  const changes = await actuator.apply(new Map([['hello', allocation as never]]))
  expect(changes.get('hello')).toMatchObject({ state: 'changed', inForce: { containers: 2, shares: 2048 }, errors: [] })
  for (const path of Object.values(PATHS)) expect(kernel.read(`${path}/cpu.weight`)).toBe('79')
  await expect(shares.set(GONE, 7)).rejects.toMatchObject({ code: 'container_gone' })
  node.dispose()
  for (const path of Object.values(PATHS)) expect(kernel.read(`${path}/cpu.weight`)).toBe('100')
  rmSync(folder, { recursive: true })
})
