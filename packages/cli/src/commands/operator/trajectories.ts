import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '@trimtab/core'
import { InfluxTrajectoryStore, type InfluxTrajectoryStoreOptions } from '@trimtab/influxdb'
import type { RecommenderOptions } from '@trimtab/operator'
import type { Host } from '../../host.js'
import { UsageError } from '../../options.js'

type InfluxServer = InfluxTrajectoryStoreOptions['server']

/** What `--influxdb` takes. */
export const INFLUX_FORM =
  'http://USER:PASSWORD@HOST:8086/DATABASE of 1.x, http://HOST:8086/?org=ORG&bucket=BUCKET of 2.x (INFLUX_TOKEN is its token)'

/** @throws {UsageError} */
export function readInfluxServer(text: string, env: Host['env']): InfluxServer {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const [org, bucket] = [url?.searchParams.get('org'), url?.searchParams.get('bucket')]
  const database = decodeURIComponent(url?.pathname.slice(1) ?? '')
  if (!url || !/^https?:$/.test(url.protocol) || Boolean(org && bucket) === Boolean(database))
    throw new UsageError(`--influxdb must be ${INFLUX_FORM}`)
  url.search = ''
  url.pathname = ''
  if (database) return { version: 1, url: url.href, database }
  const token = env.INFLUX_TOKEN
  if (!token) throw new UsageError('--influxdb of 2.x needs the token in the environment: INFLUX_TOKEN')
  return { version: 2, url: url.href, org: org!, bucket: bucket!, token }
}

/** Of a stop: what the database has not taken by then is lost. */
const PATIENCE_MS = 500

/** Keeps the steps of each workload as the trajectory `NAMESPACE/NAME`. */
export class InfluxTrajectories {
  readonly #server: InfluxServer
  readonly #logger: Logger
  readonly #stores = new Map<string, InfluxTrajectoryStore>()

  constructor(server: InfluxServer, logger: Logger) {
    this.#server = server
    this.#logger = logger
  }

  /** Opens that of one autoscaler; a store that was open for it is closed. */
  readonly open: NonNullable<RecommenderOptions['openTrajectory']> = async ({ metadata }, { observation, action }) => {
    const trajectory = `${metadata?.namespace}/${metadata?.name}`
    this.#stores.get(trajectory)?.dispose()
    this.#stores.delete(trajectory)
    const capacity = 1 // only where to go on counting is read back
    const options = { server: this.#server, trajectory, observation, action, capacity, logger: this.#logger }
    const store = await InfluxTrajectoryStore.open(options)
    this.#stores.set(trajectory, store)
    return { store, firstEpisode: store.nextEpisode }
  }

  /** Waits a moment for what is not acknowledged yet, and closes all. */
  async close(): Promise<void> {
    const stores = [...this.#stores.values()]
    this.#stores.clear()
    const isSettled = Promise.all(stores.map((store) => store.settled()))
    await Promise.race([isSettled.catch(() => {}), sleep(PATIENCE_MS, undefined, { ref: false })])
    for (const store of stores) store.dispose()
  }
}
