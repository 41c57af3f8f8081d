import { LEASES } from '@trimtab/kubernetes'
import { OPERATOR_NAMESPACE } from '@trimtab/operator'
import { expect, it } from 'vitest'
import { temporaryFile } from '../../../adapters/kubernetes/test/opened.js'
import { openCluster } from '../../../adapters/operator/test/cluster.js'
import { start } from './trimtab.js'

it.each(['SIGTERM', 'SIGINT'] as const)('an operator ends on %s with its lease given back', async (signal) => {
  const { client, standIn } = await openCluster()
  const kubeconfig = await temporaryFile(standIn.kubeconfig())
  const call = ['operator', '--kubeconfig', kubeconfig, '--parts', 'recommender', '--metrics-port', '0']
  const { child, ended } = start(call)
  const lease = { namespace: OPERATOR_NAMESPACE, name: 'trimtab-recommender' }
  const holder = async () => (await client.get(LEASES, lease).catch(() => undefined))?.spec?.holderIdentity
  await expect.poll(holder).toMatch(new RegExp(`_${child.pid}$`))
  child.kill(signal)
  const { code, out, err } = await ended
  expect([code, out], err).toEqual([0, ''])
  expect(await holder()).toBe('')
})
