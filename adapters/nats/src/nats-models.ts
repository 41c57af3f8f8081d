import { headers, type Msg, type NatsConnection } from '@nats-io/nats-core'
import type { BaseModel, ModelExchange, ModelOffer } from '@trimtab/control'
import type { Logger } from '@trimtab/core'
import { copyBytes } from '@trimtab/core/internal'
import type { Bucket } from './bucket.js'

const WRONG_LAST_SEQUENCE = [10071, 10164] // JetStream's words for "another came first"
const MEMBER = 'Trimtab-Member'

/**
 * Base models in a bucket, so that they are there when no coordinator is; a version is a revision of the bucket. Offers are plain
 * messages: who judges, listens.
 */
export class NatsModels implements ModelExchange {
  readonly #connection: NatsConnection
  readonly #bucket: Bucket
  readonly #offers: string
  readonly #timeoutMs: number
  readonly #logger: Logger | undefined

  /** @param prefix  of subjects, `trimtab.shop` */
  constructor(
    connection: NatsConnection,
    bucket: Bucket,
    { prefix, timeoutMs, logger }: { prefix: string; timeoutMs: number; logger: Logger | undefined },
  ) {
    this.#connection = connection
    this.#bucket = bucket
    this.#offers = `${prefix}.offer`
    this.#timeoutMs = timeoutMs
    this.#logger = logger
  }

  async get(category: string): Promise<BaseModel | undefined> {
    const entry = await this.#bucket.use((kv) => kv.get(keyOf(category)))
    return entry?.operation === 'PUT' ? { version: entry.revision, bytes: copyBytes(entry.value) } : undefined
  }

  replace(category: string, bytes: Uint8Array, over: number): Promise<number | undefined> {
    return this.#bucket.use((kv) =>
      kv.put(keyOf(category), bytes, { previousSeq: over, timeout: this.#timeoutMs }).catch((failure: unknown) => {
        if (isOvertaken(failure)) return undefined
        throw failure
      }),
    )
  }

  offer({ category, member, bytes }: ModelOffer): void {
    const about = headers()
    about.set(MEMBER, member)
    try {
      this.#connection.publish(`${this.#offers}.${category}`, bytes, { headers: about })
    } catch (failure) {
      this.#logger?.warn('a policy could not be offered', { category, member, failure }) // closed, or larger than a message may be
    }
  }

  onOffer(take: (offer: ModelOffer) => void): () => void {
    const subscription = this.#connection.subscribe(`${this.#offers}.>`, {
      callback: (failure, message) => {
        if (failure) this.#logger?.error('offers are not heard', { failure })
        else take(this.#offerOf(message))
      },
    })
    return () => subscription.unsubscribe()
  }

  #offerOf({ subject, data, headers: about }: Msg): ModelOffer {
    return {
      category: subject.slice(this.#offers.length + 1),
      member: about?.get(MEMBER) ?? '',
      bytes: copyBytes(data),
    }
  }
}

const keyOf = (category: string): string => `base.${category}`

const isOvertaken = (failure: unknown): boolean =>
  WRONG_LAST_SEQUENCE.includes((failure as { readonly code?: number }).code ?? 0)
