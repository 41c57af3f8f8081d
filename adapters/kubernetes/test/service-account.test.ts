import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { KubernetesClient, PODS, readServiceAccount } from '../src/index.js'
import { grant } from './grant.js'
import { openStandIn, quick, temporaryFolder } from './opened.js'

async function mounted(token: string, authority: string): Promise<string> {
  const folder = await temporaryFolder()
  for (const [name, content] of Object.entries({ token, 'ca.crt': authority, namespace: 'shop' }))
    await writeFile(join(folder, name), content)
  return folder
}

describe('a service account', () => {
  it('reaches its cluster from within, and goes on with a token that was rotated', async () => {
    const standIn = await openStandIn()
    await grant(standIn, 'shop', 'robot', [{ verbs: ['list'], apiGroups: [''], resources: ['pods'] }])
    const first = standIn.issueToken('shop', 'robot')
    const folder = await mounted(first, standIn.authority.certificate)
    const { hostname, port } = new URL(standIn.url)
    const environment = { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port }
    const client = new KubernetesClient(await readServiceAccount({ folder, environment }), quick)
    expect(client.namespace).toBe('shop')
    expect((await client.list(PODS)).items).toEqual([])
    await writeFile(join(folder, 'token'), standIn.issueToken('shop', 'robot'))
    standIn.revokeToken(first)
    expect((await client.list(PODS)).items).toEqual([])
    client.close()
  })

  it('says that this is no pod', async () => {
    await expect(readServiceAccount({ environment: {} })).rejects.toMatchObject({
      code: 'service_account_missing',
      message: expect.stringMatching(/KUBERNETES_SERVICE_HOST is not set/),
    })
  })

  it('says which file is missing', async () => {
    const folder = await temporaryFolder()
    const reading = readServiceAccount({ folder, environment: { KUBERNETES_SERVICE_HOST: '10.0.0.1' } })
    await expect(reading).rejects.toMatchObject({ message: expect.stringContaining(`${folder}/token cannot be read`) })
  })
})
