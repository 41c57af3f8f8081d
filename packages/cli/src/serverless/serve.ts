import { CONTAINER_MIB, findFunctions, LocalServing, type LocalTick } from '@trimtab/local'
import { aborted } from '../aborted.js'
import type { Host } from '../host.js'
import { createDecider } from './scalings.js'

/** What is served, and how. */
export interface ServeSettings {
  readonly actions: readonly string[]
  readonly port: number
  /** A name, or a policy file. */
  readonly policy: string
  readonly stepSeconds: number
  readonly memoryMiB: number
  readonly json: boolean
}

/** Serves functions until it is told to stop, then whoever waits. */
export async function serveActions(settings: ServeSettings, host: Host): Promise<void> {
  const { actions, port, policy, stepSeconds, memoryMiB, json } = settings
  const { signal } = host // from here on: what is told to stop while it starts, stops as if it served
  const functions = await findFunctions(actions)
  const say = (event: string, fields: object, text: string): void => {
    if (json) host.stdout.write(`${JSON.stringify({ event, ...fields })}\n`)
    else host.stdout.write(`${text}\n`)
  }
  const decider = await createDecider(policy, { memoryMiB, stepSeconds, largestContainerMiB: CONTAINER_MIB }, host)
  const serving = await LocalServing.start({
    ...{ functions, port, stepSeconds, memoryMiB, decider },
    onTick: tellFallbacks((line) => host.stderr.write(`${line}\n`)),
    onError: ({ message }) => host.stderr.write(`scaling has ended, functions keep what they have: ${message}\n`),
  })
  try {
    const { url, uuid, key } = serving
    const names = functions.map(({ name }) => name)
    const auth = `${uuid}:${key}`
    const call = `curl -u ${auth} -X POST '${url}/api/v1/namespaces/_/actions/${names[0]}?blocking=true&result=true'`
    const lines = [`apihost ${url}`, `auth    ${auth}`, `actions ${names.join(', ')}, scaled by ${policy}`, call]
    say('listening', { apihost: url, auth, actions: names, policy }, lines.join('\n'))
    await aborted(signal)
    await serving.drain()
    say('stopped', {}, 'stopped: everybody was served')
  } finally {
    await serving.dispose()
    decider.dispose?.()
  }
}

/** Says, when that changes, of which function another decides than was meant to, and why. */
function tellFallbacks(say: (line: string) => void): (tick: LocalTick) => void {
  let last: LocalTick['fallbacks'] = new Map()
  return ({ fallbacks }) => {
    for (const [name, why] of fallbacks) if (last.get(name) !== why) say(`${name}: left to its rule (${why})`)
    for (const name of last.keys()) if (!fallbacks.has(name)) say(`${name}: scaled as it is meant to be`)
    last = fallbacks
  }
}
