// One contract, whoever serves: what Trimtab counts on must hold on the stand-in and on real servers alike.
import { afterAll, beforeAll, describe } from 'vitest'
import { discoverCapabilities, type KubernetesClient, NAMESPACES } from '../../src/index.js'
import { accessContract } from './access.js'
import { applyContract } from './apply.js'
import { autoscalerContract } from './autoscaler.js'
import { objectsContract } from './objects.js'
import { podsContract } from './pods.js'
import type { Commands, Server } from './server.js'
import { watchContract } from './watch.js'

export interface Connected {
  readonly client: KubernetesClient
  readonly clientWith: (token: string) => KubernetesClient
  readonly commands?: Commands
  readonly image?: string
  readonly close: () => Promise<unknown>
}

export function contract(title: string, connect: () => Promise<Connected>): void {
  describe(title, () => {
    let connected: Connected
    let server: Server
    beforeAll(async () => {
      connected = await connect()
      const { client, commands, image = 'registry.k8s.io/pause:3.9' } = connected
      const { metadata } = await client.create(NAMESPACES, { metadata: { generateName: 'trimtab-contract-' } })
      const capabilities = await discoverCapabilities(client)
      server = { ...connected, commands, image, capabilities, namespace: metadata!.name! }
    })
    afterAll(async () => {
      await connected.client.delete(NAMESPACES, { name: server.namespace })
      await connected.close()
    })
    for (const part of [
      objectsContract,
      watchContract,
      applyContract,
      podsContract,
      accessContract,
      autoscalerContract,
    ])
      part(() => server)
  })
}
