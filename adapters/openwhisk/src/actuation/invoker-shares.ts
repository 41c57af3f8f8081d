/** How an invoker divides its CPU: a container has the part of the shares that its memory is of the memory. */
export interface InvokerShares {
  /** `whisk.container-pool.user-memory`, MiB. */
  readonly userMemoryMiB: number
  /** CPU shares that the invoker gives out; 1,024 are a core's. */
  readonly totalShares: number
}

/** CPU shares of a container with this memory; 2 are the fewest that Linux has. */
export const sharesOf = (memoryMiB: number, { userMemoryMiB, totalShares }: InvokerShares): number =>
  Math.max(2, Math.floor((totalShares * memoryMiB) / userMemoryMiB))

/** The least memory, whole MiB, that brings a container these shares. */
export const memoryFor = (shares: number, { userMemoryMiB, totalShares }: InvokerShares): number =>
  Math.ceil((shares * userMemoryMiB) / totalShares)
