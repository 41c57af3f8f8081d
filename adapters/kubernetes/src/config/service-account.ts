import { readFile } from 'node:fs/promises'
import { ConfigError } from '@trimtab/core'
import type { Cluster } from './cluster.js'

const FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount'

/** Where a pod finds its service account. */
export interface ServiceAccountOptions {
  /** Default: where Kubernetes mounts it. */
  readonly folder?: string
  /** Default: the environment of the process. */
  readonly environment?: Readonly<Record<string, string | undefined>>
}

/**
 * The cluster in which this pod runs, as its service account. The token is read for every request: Kubernetes rotates it in place.
 * @throws {ConfigError} `service_account_missing`, with the file or variable that is
 */
export async function readServiceAccount(options: ServiceAccountOptions = {}): Promise<Cluster> {
  const { folder = FOLDER, environment = process.env } = options
  const host = environment.KUBERNETES_SERVICE_HOST
  const port = environment.KUBERNETES_SERVICE_PORT ?? '443'
  if (!host) throw missing('KUBERNETES_SERVICE_HOST is not set: this process runs in no pod (give a kubeconfig)')
  const read = async (name: string): Promise<string> => {
    try {
      return (await readFile(`${folder}/${name}`, 'utf8')).trim()
    } catch (cause) {
      throw missing(
        `${folder}/${name} cannot be read (${(cause as Error).message}); is automountServiceAccountToken off?`,
        cause,
      )
    }
  }
  const credentials = async () => ({ headers: { authorization: `Bearer ${await read('token')}` } })
  await credentials()
  return {
    server: new URL(`https://${host.includes(':') ? `[${host}]` : host}:${port}`),
    authority: await read('ca.crt'),
    isUnverified: false,
    namespace: await read('namespace'),
    credentials,
  }
}

const missing = (message: string, cause?: unknown): ConfigError =>
  new ConfigError('service_account_missing', message, { cause })
