import openwhisk from 'openwhisk'
import { afterEach } from 'vitest'
import { WhiskClient, type WhiskClientOptions } from '../../src/index.js'
import { WhiskServer, type WhiskServerOptions } from '../../src/server/index.js'
import { type StandInOptions, StandInPlatform } from './platform.js'
import { FaultyProxy } from './proxy.js'

export const UUID = '23bc46b1-71f6-4ed5-8c54-816aa4f8c502'
export const KEY = '123zO3xZCLrMN6v2BKK1dXYFpXlPkccOFqm12CdAsMgRU4VrNZ9lyGVCGuMDGIwP'
export const AUTH = `${UUID}:${KEY}`

/** A platform in virtual time behind the REST front, and a proxy before it. */
export interface StandIn {
  readonly platform: StandInPlatform
  readonly server: WhiskServer
  readonly proxy: FaultyProxy
  /** The official client, straight to the server. */
  readonly official: openwhisk.Client
  /** Ours, through the proxy; it waits no real time, and writes down how long it would have. */
  readonly client: WhiskClient
  readonly waitsMs: number[]
}

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

/** Opened for one test. */
export async function openStandIn(
  options: StandInOptions = {},
  server: Partial<WhiskServerOptions> = {},
  clientOptions: Partial<WhiskClientOptions> = {},
): Promise<StandIn> {
  const platform = new StandInPlatform(options)
  const namespaces = [
    { name: 'guest', uuid: UUID, key: KEY },
    { name: 'other', uuid: 'other', key: 'secret' },
  ]
  const front = await WhiskServer.listen({ platform, namespaces, clock: platform, ...server })
  closers.push(() => front.close())
  const proxy = await FaultyProxy.open(front.url)
  closers.push(() => proxy.close())
  const waitsMs: number[] = []
  const sleep = async (milliseconds: number): Promise<void> => void waitsMs.push(milliseconds)
  const client = new WhiskClient({ url: proxy.url, auth: AUTH, sleep, ...clientOptions })
  closers.push(() => client.dispose())
  const official = openwhisk({ api: `${front.url}/api/v1/`, api_key: AUTH })
  return { platform, server: front, proxy, official, client, waitsMs }
}

/** A request without any client. */
export async function ask(server: WhiskServer, path: string, init: RequestInit & { auth?: string } = {}) {
  const { auth = AUTH, ...rest } = init
  const authorization = `Basic ${Buffer.from(auth).toString('base64')}`
  const answer = await fetch(`${server.url}/api/v1${path}`, { ...rest, headers: { authorization, ...rest.headers } })
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as never }
}
