import { findFunctions, LocalServing } from '@trimtab/local'
import { aborted } from '../aborted.js'
import type { Host } from '../host.js'
import { SCALINGS, type Scaling } from './scalings.js'

/** What is served, and how. */
export interface ServeSettings {
  readonly actions: readonly string[]
  readonly port: number
  readonly scaling: Scaling
  readonly stepSeconds: number
  readonly memoryMiB: number
  readonly json: boolean
}

/** Serves functions until it is told to stop, then whoever waits. */
export async function serveActions(settings: ServeSettings, host: Host): Promise<void> {
  const { actions, port, scaling, stepSeconds, memoryMiB, json } = settings
  const { signal } = host // from here on: what is told to stop while it starts, stops as if it served
  const functions = await findFunctions(actions)
  const say = (event: string, fields: object, text: string): void => {
    if (json) host.stdout.write(`${JSON.stringify({ event, ...fields })}\n`)
    else host.stdout.write(`${text}\n`)
  }
  const serving = await LocalServing.start({
    ...{ functions, port, stepSeconds, memoryMiB, createRule: SCALINGS[scaling] },
    onError: ({ message }) => host.stderr.write(`scaling has ended, functions keep what they have: ${message}\n`),
  })
  try {
    const { url, uuid, key } = serving
    const names = functions.map(({ name }) => name)
    const auth = `${uuid}:${key}`
    const call = `curl -u ${auth} -X POST '${url}/api/v1/namespaces/_/actions/${names[0]}?blocking=true&result=true'`
    const lines = [`apihost ${url}`, `auth    ${auth}`, `actions ${names.join(', ')}, scaled by ${scaling}`, call]
    say('listening', { apihost: url, auth, actions: names, scaling }, lines.join('\n'))
    await aborted(signal)
    await serving.drain()
    say('stopped', {}, 'stopped: everybody was served')
  } finally {
    await serving.dispose()
  }
}
