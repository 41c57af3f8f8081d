import type { TenantAllocation } from '@trimtab/tasks/serverless'

/** What is in force for one action. NaN: not known. */
export interface AllocationInForce {
  /** As asked for last. */
  readonly containers: number
  readonly shares: number
  readonly memoryMiB: number
}

/** What came of an allocation: a word, and where there is more to say, that. */
export interface AllocationChange {
  readonly state: 'unchanged' | 'changed' | 'planned' | 'cooling' | 'gone' | 'ambiguous' | 'failed'
  readonly inForce: AllocationInForce
  /** Activations that warmed containers up. */
  readonly warmUps: readonly string[]
  readonly errors: readonly Error[]
}

/** Brings allocations into force; NaN in one: as it is. */
export interface TenantActuator {
  /** @returns what came of each; @throws {AdapterError} nothing has changed */
  apply(
    allocations: ReadonlyMap<string, Readonly<TenantAllocation>>,
    signal?: AbortSignal,
  ): Promise<ReadonlyMap<string, AllocationChange>>
}
