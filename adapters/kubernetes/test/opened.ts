// What a test opens is closed when it is over.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach } from 'vitest'
import { KubernetesClient, type RequesterOptions, readKubeconfig } from '../src/index.js'
import { type StandIn, type StandInOptions, startStandIn } from './stand-in/index.js'
import type { Fields } from './stand-in/objects.js'

const opened: (() => unknown)[] = []
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close()
})

/** Chance that is none: waits are those that were said, less a quarter. */
export const random = { uniform: () => 0.5 }

/** Waits that a test can wait for. */
export const quick = { random, backoff: { firstMs: 5, mostMs: 50 }, silenceMs: 2000 } satisfies RequesterOptions

export async function openStandIn(options?: StandInOptions): Promise<StandIn> {
  const standIn = await startStandIn(options)
  opened.push(() => standIn.close())
  return standIn
}

export async function makeFolder(): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'trimtab-kubernetes-'))
  return { path, remove: () => rm(path, { recursive: true, force: true }) }
}

export async function temporaryFolder(): Promise<string> {
  const { path, remove } = await makeFolder()
  opened.push(remove)
  return path
}

/** A file in a folder of its own. */
export async function temporaryFile(content: string, name = 'kubeconfig'): Promise<string> {
  const path = join(await temporaryFolder(), name)
  await writeFile(path, content, { mode: 0o700 })
  return path
}

/** A client of the administrator, or of a user in the words of a kubeconfig. */
export async function openClient(
  standIn: StandIn,
  user?: Fields,
  options: RequesterOptions = quick,
): Promise<KubernetesClient> {
  const client = new KubernetesClient(
    await readKubeconfig({ path: await temporaryFile(standIn.kubeconfig(user)) }),
    options,
  )
  opened.push(() => client.close())
  return client
}

/** Both, for tests that need no more. */
export async function open(options?: StandInOptions): Promise<{ standIn: StandIn; client: KubernetesClient }> {
  const standIn = await openStandIn(options)
  return { standIn, client: await openClient(standIn) }
}

/** Runs until the test is over. */
export function during(run: (signal: AbortSignal) => Promise<unknown>): void {
  const ending = new AbortController()
  const running = run(ending.signal)
  opened.push(() => {
    ending.abort()
    return running
  })
}
