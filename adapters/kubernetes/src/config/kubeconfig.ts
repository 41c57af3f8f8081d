import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { ConfigError } from '@trimtab/core'
import { parse } from 'yaml'
import type { Cluster, Credentials, Identity } from './cluster.js'
import { type ExecPlugin, execCredentials } from './exec-credential.js'

/** Which kubeconfig, and which context of it. */
export interface KubeconfigOptions {
  /** One file or several joined as `KUBECONFIG` joins them; default: `KUBECONFIG`, else `~/.kube/config`. */
  readonly path?: string
  /** Default: `current-context`. */
  readonly context?: string
}

type Fields = Readonly<Record<string, unknown>>

/** An entry of a list in a kubeconfig, and where it stands: relative paths start at its file. */
interface Entry {
  readonly file: string
  /** `users[0] (eks) of FILE`, for messages. */
  readonly at: string
  readonly fields: Fields
}

/** The lists of a kubeconfig, and the field of their entries that matters. */
const LISTS = { clusters: 'cluster', users: 'user', contexts: 'context' } as const

/**
 * Reads a kubeconfig as kubectl does: several files are merged, the first to say something counts.
 * @throws {ConfigError} `kubeconfig_invalid`, `kubeconfig_missing`: what is wrong, in which entry of which file
 */
export async function readKubeconfig(options: KubeconfigOptions = {}): Promise<Cluster> {
  const paths = options.path ?? (process.env.KUBECONFIG || join(homedir(), '.kube', 'config'))
  const files = await readFiles(paths.split(delimiter).filter((path) => path !== ''))
  const name = options.context ?? files.map(({ document }) => text(document['current-context'])).find(Boolean)
  if (!name) throw invalid(`${paths} has no current-context (name one: ${namesOf(files, 'contexts')})`)
  const context = find(files, 'contexts', name, paths)
  const cluster = find(files, 'clusters', text(context.fields.cluster) ?? '', context.at)
  const userName = text(context.fields.user)
  const user = userName === undefined ? undefined : find(files, 'users', userName, context.at)
  const { server, authority, ...trust } = await readTrust(cluster)
  return {
    ...trust,
    server,
    ...(authority === undefined ? {} : { authority }),
    namespace: text(context.fields.namespace) ?? 'default',
    credentials: user
      ? await readUser(user, { server: server.href, ...execTrust(authority) })
      : async () => ({ headers: {} }),
  }
}

/** What a plug-in is told of the cluster. */
const execTrust = (authority: string | undefined): object =>
  authority === undefined ? {} : { 'certificate-authority-data': Buffer.from(authority).toString('base64') }

async function readTrust({ fields, at, file }: Entry): Promise<Omit<Cluster, 'namespace' | 'credentials'>> {
  const said = text(fields.server)
  const server = said !== undefined && URL.canParse(said) ? new URL(said) : undefined
  if (!server || !/^https?:$/.test(server.protocol))
    throw invalid(`${at}: server must be a URL as https://10.0.0.1:6443, got ${JSON.stringify(fields.server)}`)
  if (fields['proxy-url'] !== undefined) throw invalid(`${at}: proxy-url is not supported`)
  const authority = await readPem(fields, 'certificate-authority', at, file)
  const serverName = text(fields['tls-server-name'])
  return {
    server,
    ...(authority === undefined ? {} : { authority }),
    ...(serverName === undefined ? {} : { serverName }),
    isUnverified: fields['insecure-skip-tls-verify'] === true,
  }
}

async function readUser({ fields, at, file }: Entry, cluster: object): Promise<Credentials> {
  if (fields['auth-provider'] !== undefined)
    throw invalid(`${at}: auth-provider went from Kubernetes with 1.26 (use the exec plug-in of your provider)`)
  const impersonation = impersonationOf(fields)
  const as = (identity: Identity): Identity => ({ ...identity, headers: { ...identity.headers, ...impersonation } })
  if (fields.exec !== undefined) {
    const credentials = execCredentials(fields.exec as ExecPlugin, at, file, cluster)
    return Object.keys(impersonation).length === 0 ? credentials : forAnother(credentials, as)
  }
  const certificate = await readPem(fields, 'client-certificate', at, file)
  const key = await readPem(fields, 'client-key', at, file)
  if ((certificate === undefined) !== (key === undefined))
    throw invalid(`${at}: client-certificate and client-key belong together, got only one of them`)
  const own = certificate !== undefined && key !== undefined ? { certificate, key } : {}
  const tokenFile = text(fields.tokenFile)
  if (tokenFile !== undefined) {
    const path = resolve(dirname(file), tokenFile)
    return async () => as({ ...own, headers: bearer((await readNamed(path, `${at}: tokenFile`)).trim()) })
  }
  const token = text(fields.token)
  const username = text(fields.username)
  const basic = `Basic ${Buffer.from(`${username}:${text(fields.password) ?? ''}`).toString('base64')}`
  const headers = token !== undefined ? bearer(token) : username !== undefined ? { authorization: basic } : {}
  const identity = as({ ...own, headers })
  return async () => identity
}

/** Credentials that ask in another one's name; what is refused is told to the plug-in as what it gave. */
function forAnother(credentials: Credentials, as: (identity: Identity) => Identity): Credentials {
  const given = new WeakMap<Identity, Identity>()
  return async (refused) => {
    const own = await credentials(refused && given.get(refused))
    const changed = as(own)
    given.set(changed, own)
    return changed
  }
}

function impersonationOf(fields: Fields): Identity['headers'] {
  const user = text(fields.as)
  const groups = Array.isArray(fields['as-groups']) ? fields['as-groups'].map(String) : []
  return {
    ...(user === undefined ? {} : { 'impersonate-user': user }),
    ...(groups.length === 0 ? {} : { 'impersonate-group': groups }),
  }
}

const bearer = (token: string): Identity['headers'] => ({ authorization: `Bearer ${token}` })

/** `NAME-data` in base64, or the file that `NAME` says. */
async function readPem(fields: Fields, name: string, at: string, file: string): Promise<string | undefined> {
  const data = text(fields[`${name}-data`])
  const path = text(fields[name])
  if (data === undefined && path === undefined) return undefined
  const pem =
    data === undefined
      ? await readNamed(resolve(dirname(file), path!), `${at}: ${name}`)
      : Buffer.from(data, 'base64').toString()
  if (!pem.includes('-----BEGIN ')) throw invalid(`${at}: ${name}${data === undefined ? '' : '-data'} holds no PEM`)
  return pem
}

async function readNamed(path: string, at: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    throw invalid(`${at} ${path} cannot be read (${(cause as Error).message})`, cause)
  }
}

interface File {
  readonly path: string
  readonly document: Fields
}

/** Files that are not there are left out, as kubectl does, unless none is. */
async function readFiles(paths: readonly string[]): Promise<File[]> {
  const files: File[] = []
  for (const path of paths) {
    const content = await readFile(path, 'utf8').catch((cause: NodeJS.ErrnoException) => {
      if (cause.code === 'ENOENT') return undefined
      throw invalid(`${path} cannot be read (${cause.message})`, cause)
    })
    if (content !== undefined) files.push({ path, document: parseFile(path, content) })
  }
  if (files.length > 0) return files
  const message = `no kubeconfig at ${paths.join(' or ')} (set KUBECONFIG or give a path)`
  throw new ConfigError('kubeconfig_missing', message)
}

function parseFile(path: string, content: string): Fields {
  let document: unknown
  try {
    document = parse(content)
  } catch (cause) {
    throw invalid(`${path} is not YAML: ${(cause as Error).message.split('\n', 1)[0]}`, cause)
  }
  if (!isFields(document) || (document.kind !== undefined && document.kind !== 'Config'))
    throw invalid(`${path} is no kubeconfig: kind must be Config`)
  return document
}

function find(files: readonly File[], list: keyof typeof LISTS, name: string, from: string): Entry {
  const field = LISTS[list]
  for (const { path, document } of files) {
    const entries = Array.isArray(document[list]) ? document[list] : []
    const index = entries.findIndex((entry) => isFields(entry) && entry.name === name)
    if (index < 0) continue
    const at = `${list}[${index}] (${name}) of ${path}`
    const fields = entries[index][field]
    if (!isFields(fields)) throw invalid(`${at}: ${field} is missing`)
    return { file: path, at, fields }
  }
  throw invalid(`${from}: ${field} ${JSON.stringify(name)} is not among ${list} (${namesOf(files, list)})`)
}

const namesOf = (files: readonly File[], list: keyof typeof LISTS): string =>
  files
    .flatMap(({ document }) => (Array.isArray(document[list]) ? document[list] : []).map((entry) => entry?.name))
    .join(', ') || 'none'

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)
const invalid = (message: string, cause?: unknown): ConfigError =>
  new ConfigError('kubeconfig_invalid', message, { cause })
