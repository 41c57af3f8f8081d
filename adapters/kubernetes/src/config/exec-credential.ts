import { execFile } from 'node:child_process'
import { dirname, isAbsolute, resolve } from 'node:path'
import { ConfigError } from '@trimtab/core'
import type { Credentials, Identity } from './cluster.js'

/** A plug-in that prints credentials, as a kubeconfig names it. */
export interface ExecPlugin {
  readonly apiVersion: string
  readonly command: string
  readonly args?: readonly string[] | null
  readonly env?: readonly { readonly name: string; readonly value: string }[] | null
  readonly installHint?: string
  readonly interactiveMode?: string
  readonly provideClusterInfo?: boolean
}

const VERSIONS = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1']
const TIMEOUT_MS = 60_000
/** A token that expires within this is asked for anew. */
const LEEWAY_MS = 10_000

/**
 * Runs the plug-in when its last answer has expired or was refused.
 *
 * @param plugin   as in the kubeconfig
 * @param at       where it is named, for messages: `users[0] (eks) of /home/me/.kube/config`
 * @param file     a command with a slash is looked for beside this file
 * @param cluster  what `provideClusterInfo` hands over
 * @throws {ConfigError} `kubeconfig_invalid` for what can never be run
 */
export function execCredentials(plugin: ExecPlugin, at: string, file: string, cluster: object): Credentials {
  if (!VERSIONS.includes(plugin.apiVersion))
    throw new ConfigError(
      'kubeconfig_invalid',
      `${at}: exec.apiVersion must be ${VERSIONS.join(' or ')}, got ${plugin.apiVersion}`,
    )
  if (plugin.interactiveMode === 'Always')
    throw new ConfigError(
      'kubeconfig_invalid',
      `${at}: exec.interactiveMode Always needs a terminal (use IfAvailable or Never)`,
    )
  let held: { identity: Identity; expiresMs: number } | undefined
  let running: Promise<Identity> | undefined
  const renew = async (): Promise<Identity> => {
    held = await runPlugin(plugin, at, file, cluster)
    return held.identity
  }
  return async (refused) => {
    const isGood = held && held.identity !== refused && held.expiresMs - LEEWAY_MS > Date.now()
    if (isGood) return held!.identity
    running ??= renew().finally(() => {
      running = undefined
    })
    return running
  }
}

interface ExecCredential {
  readonly kind?: string
  readonly status?: {
    readonly token?: string
    readonly clientCertificateData?: string
    readonly clientKeyData?: string
    readonly expirationTimestamp?: string
  }
}

async function runPlugin(
  plugin: ExecPlugin,
  at: string,
  file: string,
  cluster: object,
): Promise<{ identity: Identity; expiresMs: number }> {
  const { command, apiVersion } = plugin
  const spec = { interactive: false, ...(plugin.provideClusterInfo ? { cluster } : {}) }
  const info = JSON.stringify({ apiVersion, kind: 'ExecCredential', spec })
  const extra = Object.fromEntries((plugin.env ?? []).map(({ name, value }) => [name, value]))
  const env = { ...process.env, ...extra, KUBERNETES_EXEC_INFO: info }
  const program = command.includes('/') && !isAbsolute(command) ? resolve(dirname(file), command) : command
  const failed = (why: string, cause?: unknown): ConfigError =>
    new ConfigError('credentials_failed', `${at}: exec ${command} ${why}${hint(plugin)}`, { cause })
  const printed = await new Promise<string>((fulfil, reject) => {
    const child = execFile(program, [...(plugin.args ?? [])], { env, timeout: TIMEOUT_MS }, (error, stdout, stderr) => {
      if (error) reject(failed(`failed (${stderr.trim() || error.message})`, error))
      else fulfil(stdout)
    })
    child.stdin?.on('error', () => {}) // a plug-in that reads nothing closes its end first
    child.stdin?.end()
  })
  let credential: ExecCredential
  try {
    credential = JSON.parse(printed)
  } catch (cause) {
    throw failed('printed no JSON', cause)
  }
  const { token, clientCertificateData, clientKeyData, expirationTimestamp } = credential?.status ?? {}
  if (credential?.kind !== 'ExecCredential' || (!token && !clientCertificateData))
    throw failed('printed no ExecCredential with status.token or status.clientCertificateData')
  const expiresMs = expirationTimestamp ? Date.parse(expirationTimestamp) : Number.POSITIVE_INFINITY
  if (Number.isNaN(expiresMs))
    throw failed(`printed a status.expirationTimestamp that is no time: ${expirationTimestamp}`)
  const identity: Identity = {
    headers: token ? { authorization: `Bearer ${token}` } : {},
    ...(clientCertificateData && clientKeyData ? { certificate: clientCertificateData, key: clientKeyData } : {}),
  }
  return { identity, expiresMs }
}

const hint = ({ installHint }: ExecPlugin): string => (installHint ? `: ${installHint.trim()}` : '')
