// The contract against the server that KUBECONFIG names: `KUBECONFIG=… npm run test:kubernetes`. It makes a namespace of its own and deletes it.
// TRIMTAB_TEST_IMAGE: an image that the cluster can pull and that does nothing; default registry.k8s.io/pause:3.9.
import { readKubeconfig } from '../src/index.js'
import { connect } from './contract/connect.js'
import { contract } from './contract/contract.js'

const { KUBECONFIG, TRIMTAB_TEST_IMAGE } = process.env
if (!KUBECONFIG) throw new Error('set KUBECONFIG to the cluster to test: this makes and deletes a namespace in it')

contract(`the server of ${KUBECONFIG}`, async () => {
  const { closeClients, ...connected } = connect(await readKubeconfig({ path: KUBECONFIG }))
  return { ...connected, ...(TRIMTAB_TEST_IMAGE && { image: TRIMTAB_TEST_IMAGE }), close: async () => closeClients() }
})
