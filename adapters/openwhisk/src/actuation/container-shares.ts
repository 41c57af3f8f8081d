/** A container on this host. */
export interface HostContainer {
  readonly id: string
  /** Docker's, or of the pod. */
  readonly name: string
  /** Of the pod; Docker's have none. */
  readonly labels: Readonly<Record<string, string>>
  /** In force now; 1,024 are a core's. */
  readonly cpuShares: number
}

/** The containers of a host and their CPU shares: cgroups, in whatever version. */
export interface ContainerShares {
  /** All that run now. */
  list(signal?: AbortSignal): Promise<readonly HostContainer[]>
  /** @throws {AdapterError} `container_gone` where it has ended meanwhile */
  set(id: string, cpuShares: number, signal?: AbortSignal): Promise<void>
}
