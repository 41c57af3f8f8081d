/** What FIRM grants and an anomaly takes away (3.2.4), in the order of every vector of five. */
export const RESOURCES = ['cpu', 'memoryBandwidth', 'llc', 'diskIo', 'network'] as const
/** A resource of an instance that can be short. */
export type Resource = (typeof RESOURCES)[number]
export const RESOURCE_COUNT: number = RESOURCES.length

/** In which a grant is given. A unit of work is a unit of the grant for a millisecond: core·ms, kB, MiB·ms, kB, kB. */
export const RESOURCE_UNITS: Readonly<Record<Resource, string>> = {
  cpu: 'cores',
  memoryBandwidth: 'MB/s',
  llc: 'MiB',
  diskIo: 'MB/s',
  network: 'MB/s',
}

/** One number for each resource. */
export type ResourceVector = Readonly<Record<Resource, number>>

/** In the order of `RESOURCES`. */
export const numbersOf = (vector: ResourceVector): number[] => RESOURCES.map((resource) => vector[resource])

/** @param numbers  in the order of `RESOURCES` */
export function vectorOf(numbers: ArrayLike<number>): ResourceVector {
  return Object.fromEntries(RESOURCES.map((resource, r) => [resource, numbers[r]!])) as Record<Resource, number>
}
