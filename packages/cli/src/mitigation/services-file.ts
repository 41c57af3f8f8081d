import { FormatError, Problems } from '@trimtab/core'

/**
 * Whose limits may be changed: a process for each service, and what it may use while all is well. As a file, JSON:
 * ```json
 * {
 *   "format": "trimtab-services/1",
 *   "folder": "/var/lib/shop",
 *   "services": {
 *     "cart": { "pid": 4711, "cores": 0.5 },
 *     "ledger": { "pidFile": "/run/ledger.pid", "cores": 0.25, "diskMBps": 2, "replace": ["systemctl", "restart", "ledger"] }
 *   }
 * }
 * ```
 * Services are called as their spans call them (`service.name`). `folder`: where they write, for `diskMBps`. `replace`: puts another process in
 * the place of this one and ends when it serves; `pidFile` names that one then.
 */
export interface ServicesFile {
  readonly folder?: string
  readonly services: readonly ServiceEntry[]
}

/** One service of the file. */
export interface ServiceEntry {
  readonly name: string
  /** Its process, or the file that says its number. */
  readonly process: { readonly pid: number } | { readonly pidFile: string }
  readonly cores: number
  /** Infinity: not held. */
  readonly diskMBps: number
  readonly replace?: readonly string[]
}

const FORMAT = 'trimtab-services/1'
const FIELDS = ['format', 'folder', 'services']
const SERVICE_FIELDS = ['pid', 'pidFile', 'cores', 'diskMBps', 'replace']
const LARGEST_PID = 2 ** 22

/**
 * @throws {FormatError} `services_invalid` (no JSON, another format)
 * @throws {ConfigError} `config_invalid` with every problem, each with its path
 */
export function parseServices(text: string): ServicesFile {
  let file: unknown
  try {
    file = JSON.parse(text)
  } catch (cause) {
    throw new FormatError('services_invalid', `services are a JSON file: ${(cause as Error).message}`, { cause })
  }
  if (!isRecord(file) || file.format !== FORMAT)
    throw new FormatError(
      'services_invalid',
      `the file of services says "format": "${FORMAT}"; see trimtab help mitigate`,
    )
  const { folder, services } = file
  const problems = new Problems()
  problems.checkKeys(file, FIELDS, 'services')
  problems.check(folder === undefined || isText(folder), 'folder must be the path of a folder')
  problems.check(
    isRecord(services) && Object.keys(services).length > 0,
    'services must have an object for each service',
  )
  const entries = isRecord(services) ? Object.entries(services) : []
  for (const [name, entry] of entries) checkService(problems, `services.${name}`, entry, folder !== undefined)
  problems.throwIfAny('services')
  return {
    ...(folder !== undefined && { folder: folder as string }),
    services: entries.map(([name, entry]) => serviceOf(name, entry as Readonly<Record<string, unknown>>)),
  }
}

function checkService(problems: Problems, path: string, entry: unknown, hasFolder: boolean): void {
  if (!isRecord(entry)) {
    problems.check(false, `${path} must be an object`)
    return
  }
  const { pid, pidFile, cores, diskMBps, replace } = entry
  problems.checkKeys(entry, SERVICE_FIELDS, path)
  problems.check((pid === undefined) !== (pidFile === undefined), `${path} needs pid or pidFile, one of them`)
  problems.check(pid === undefined || isPid(pid), `${path}.pid must be the number of a process`)
  problems.check(pidFile === undefined || isText(pidFile), `${path}.pidFile must be the path of a file`)
  problems.check(isAmount(cores), `${path}.cores must be above 0: what it may use while all is well`)
  problems.check(diskMBps === undefined || isAmount(diskMBps), `${path}.diskMBps must be above 0`)
  problems.check(diskMBps === undefined || hasFolder, `${path}.diskMBps needs "folder": where services write`)
  if (replace === undefined) return
  problems.check(
    Array.isArray(replace) && replace.length > 0 && replace.every(isText),
    `${path}.replace must be a list: a program and its arguments`,
  )
  problems.check(pidFile !== undefined, `${path}.replace needs pidFile: which process took the place`)
}

function serviceOf(
  name: string,
  { pid, pidFile, cores, diskMBps, replace }: Readonly<Record<string, unknown>>,
): ServiceEntry {
  return {
    name,
    process: pid === undefined ? { pidFile: pidFile as string } : { pid: pid as number },
    cores: cores as number,
    diskMBps: (diskMBps as number | undefined) ?? Number.POSITIVE_INFINITY,
    ...(replace !== undefined && { replace: replace as string[] }),
  }
}

export const isPid = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) > 1 && (value as number) <= LARGEST_PID

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isText = (value: unknown): value is string => typeof value === 'string' && value.length > 0

const isAmount = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(value) && value > 0
