import { type KV, Kvm, type KvOptions } from '@nats-io/kv'
import { errors, type NatsConnection } from '@nats-io/nats-core'
import { AdapterError } from '@trimtab/core'

/** A JetStream bucket: made when it is first used, and looked for anew when the server says no, since it may have come back without it. */
export class Bucket {
  readonly name: string
  readonly #connection: NatsConnection
  readonly #options: Partial<KvOptions>
  #opening: Promise<KV> | undefined

  constructor(connection: NatsConnection, name: string, options: Partial<KvOptions>) {
    this.name = name
    this.#connection = connection
    this.#options = options
  }

  /**
   * Does `work` on the open bucket.
   * @throws {AdapterError} `nats_failed`; `bucket_mismatch`: it was made with other options
   */
  async use<T>(work: (kv: KV) => Promise<T>): Promise<T> {
    let isOpen = false
    try {
      this.#opening ??= this.#open()
      const kv = await this.#opening
      isOpen = true
      return await work(kv)
    } catch (cause) {
      if (!isOpen || !(cause instanceof errors.TimeoutError)) this.#opening = undefined
      if (cause instanceof AdapterError) throw cause
      throw new AdapterError('nats_failed', `NATS, bucket ${this.name}: ${messageOf(cause)}`, { cause })
    }
  }

  async #open(): Promise<KV> {
    const { ttl = 0, republish } = this.#options
    const kv = await new Kvm(this.#connection).create(this.name, this.#options)
    const found = await kv.status()
    if (found.ttl === ttl && (republish === undefined || found.republish.dest === republish.dest)) return kv
    throw new AdapterError(
      'bucket_mismatch',
      `bucket ${this.name} keeps a value for ${found.ttl} ms and sends it to "${found.republish.dest}", not ${ttl} ms and "${republish?.dest ?? ''}": give all members the same heartbeatMs, or delete the bucket`,
    )
  }
}

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))
