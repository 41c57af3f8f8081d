import type { KubernetesClient } from '@trimtab/kubernetes'
import { type Option, textOption } from '../options.js'

/** What every command takes that talks to a cluster from outside. */
export const clusterOptions: Readonly<Record<'kubeconfig' | 'context', Option<string | undefined>>> = {
  kubeconfig: textOption('FILE', 'how to reach the cluster (default: KUBECONFIG, else ~/.kube/config)', undefined),
  context: textOption('NAME', 'of the kubeconfig (default: its current one)', undefined),
}

/** Talks to the cluster of a kubeconfig; the connections are closed when it is over. */
export async function withCluster(
  { kubeconfig, context }: { readonly kubeconfig: string | undefined; readonly context: string | undefined },
  act: (client: KubernetesClient) => Promise<number>,
): Promise<number> {
  const { createCore, Random } = await import('@trimtab/core')
  const { KubernetesClient, readKubeconfig } = await import('@trimtab/kubernetes')
  const cluster = await readKubeconfig({
    ...(kubeconfig !== undefined && { path: kubeconfig }),
    ...(context !== undefined && { context }),
  })
  const client = new KubernetesClient(cluster, { random: new Random(await createCore(), process.pid) })
  try {
    return await act(client)
  } finally {
    client.close()
  }
}
