import { type Cluster, KubernetesClient } from '../../src/index.js'
import { random } from '../opened.js'
import type { Connected } from './contract.js'

/** Clients of a cluster: its own, and such with other tokens. */
export function connect(cluster: Cluster): Omit<Connected, 'close'> & { closeClients(): void } {
  const clients: KubernetesClient[] = []
  const open = (to: Cluster): KubernetesClient => {
    const client = new KubernetesClient(to, { random })
    clients.push(client)
    return client
  }
  const withToken = (token: string): Cluster => ({
    ...cluster,
    credentials: async () => ({ headers: { authorization: `Bearer ${token}` } }),
  })
  return {
    client: open(cluster),
    clientWith: (token) => open(withToken(token)),
    closeClients: () => {
      for (const client of clients) client.close()
    },
  }
}
