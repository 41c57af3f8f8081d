import { type Action, type ActionExec, annotationOf, type JsonObject, type KeyValue } from '../protocol.js'
import { changeLimits, DEFAULT_ACTION_LIMITS } from './limits.js'
import type { FunctionPlatform } from './platform.js'
import { conflict, malformed, notFound, WhiskError } from './whisk-error.js'

/** What a change is made by. */
export interface ChangeContext {
  readonly platform: FunctionPlatform
  readonly nowMs: number
}

/** The actions of one namespace in their newest versions; an action is changed by one request at a time. */
export class ActionStore {
  readonly #namespace: string
  readonly #actions = new Map<string, Action>()
  readonly #changing = new Set<string>()

  constructor(namespace: string) {
    this.#namespace = namespace
  }

  /** All, the last changed first. */
  get all(): Action[] {
    return [...this.#actions.values()].sort((a, b) => b.updated - a.updated)
  }

  /** @throws {WhiskError} 404 */
  get(name: string): Action {
    const action = this.#actions.get(name)
    if (action === undefined) throw notFound()
    return action
  }

  /**
   * Makes an action, or a new version of it, which keeps what the request does not name.
   * @throws {WhiskError} 400, 403, 409; nothing has changed
   */
  put(name: string, content: JsonObject, overwrite: boolean, { platform, nowMs }: ChangeContext): Promise<Action> {
    return this.#change(name, async () => {
      const old = this.#actions.get(name)
      if (old !== undefined && !overwrite) throw new WhiskError(409, 'resource already exists')
      const limits = platform.limits(this.#namespace)
      const exec = execOf(content.exec) ?? old?.exec
      if (exec === undefined) throw malformed('exec undefined')
      if (limits.allowedKinds !== undefined && !limits.allowedKinds.includes(exec.kind)) {
        const message = `The supplied authentication is not authorized to access actions of kind '${exec.kind}'.`
        throw new WhiskError(403, message)
      }
      const action: Action = {
        namespace: this.#namespace,
        name,
        version: versionOf(content.version) ?? nextVersion(old?.version ?? '0.0.0'),
        publish: false,
        exec,
        limits: changeLimits(old?.limits ?? DEFAULT_ACTION_LIMITS, content.limits, limits),
        parameters: keyValuesOf(content, 'parameters') ?? old?.parameters ?? [],
        annotations: withExec(keyValuesOf(content, 'annotations') ?? old?.annotations ?? [], exec.kind),
        updated: nowMs,
      }
      await platform.put(action)
      this.#actions.set(name, action)
      return action
    })
  }

  /** Forgets an action. @throws {WhiskError} 404, 409 */
  remove(name: string, platform: FunctionPlatform): Promise<Action> {
    return this.#change(name, async () => {
      const action = this.get(name)
      this.#actions.delete(name)
      await platform.remove(action)
      return action
    })
  }

  async #change<T>(name: string, change: () => Promise<T>): Promise<T> {
    if (this.#changing.has(name)) throw conflict()
    this.#changing.add(name)
    try {
      return await change()
    } finally {
      this.#changing.delete(name)
    }
  }
}

function versionOf(version: unknown): string | undefined {
  if (version === undefined) return undefined
  if (typeof version !== 'string' || !/^\d+\.\d+\.\d+$/.test(version)) throw malformed('version must be like 0.0.1')
  return version
}

const nextVersion = (version: string): string => version.replace(/\d+$/, (patch) => String(Number(patch) + 1))

function execOf(exec: unknown): ActionExec | undefined {
  if (exec === undefined) return undefined
  const { kind, code, binary, main } = (exec ?? {}) as Record<string, unknown>
  if (typeof kind !== 'string' || kind === '') throw malformed('exec.kind must name a runtime')
  if (kind === 'sequence') throw malformed('sequences are not run here')
  if (typeof code !== 'string') throw malformed('exec.code must be a text')
  return {
    kind,
    code,
    binary: binary === true || /^[A-Za-z0-9+/]{64,}={0,2}$/.test(code),
    ...(typeof main === 'string' && { main }),
  }
}

function keyValuesOf(content: JsonObject, field: string): readonly KeyValue[] | undefined {
  const given = content[field]
  if (given === undefined) return undefined
  if (!Array.isArray(given) || given.some((each) => typeof each?.key !== 'string'))
    throw malformed(`${field} must be a list of { key, value }`)
  return given.map(({ key, value }) => ({ key, value }))
}

const withExec = (annotations: readonly KeyValue[], kind: string): readonly KeyValue[] =>
  annotationOf(annotations, 'exec') === kind
    ? annotations
    : [...annotations.filter(({ key }) => key !== 'exec'), { key: 'exec', value: kind }]
