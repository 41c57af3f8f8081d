// The contract against the stand-in, as the newest and as the oldest release that it follows.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readKubeconfig } from '../src/index.js'
import { connect } from './contract/connect.js'
import { contract } from './contract/contract.js'
import { makeFolder } from './opened.js'
import { startStandIn } from './stand-in/index.js'

for (const minor of [32, 20]) {
  contract(`the stand-in as 1.${minor}`, async () => {
    const standIn = await startStandIn({ minor, bookmarkMs: 200 })
    const folder = await makeFolder()
    const path = join(folder.path, 'kubeconfig')
    await writeFile(path, standIn.kubeconfig())
    const { closeClients, ...connected } = connect(await readKubeconfig({ path }))
    const close = async (): Promise<void> => {
      closeClients()
      await standIn.close()
      await folder.remove()
    }
    return { ...connected, commands: { forget: () => standIn.registry.store.compact() }, close }
  })
}
