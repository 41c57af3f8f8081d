/** A request that is answered with an error of the protocol. */
export class Refusal extends Error {
  readonly status: number
  /** Only where sending it again may do: exporters then do. */
  readonly retryAfterSeconds: number | undefined

  constructor(status: number, message: string, retryAfterSeconds?: number) {
    super(message)
    this.status = status
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** Codes of google.rpc, by status. */
const RPC_CODES: Readonly<Record<number, number>> = { 400: 3, 413: 3, 415: 3, 404: 12, 405: 12, 429: 8, 503: 14 }
const UNKNOWN = 2

export const rpcCodeOf = (status: number): number => RPC_CODES[status] ?? UNKNOWN
