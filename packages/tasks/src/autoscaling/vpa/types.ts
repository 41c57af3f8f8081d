/** Whole millicores and bytes; a resource that is not controlled is absent. */
export interface ResourceAmounts {
  readonly cpuMilli?: number | undefined
  readonly memoryBytes?: number | undefined
}

/** What one container should request, and between what it may stay as it is. */
export interface ContainerRecommendation {
  readonly target: ResourceAmounts
  readonly lowerBound?: ResourceAmounts | undefined
  readonly upperBound?: ResourceAmounts | undefined
  /** The target before any policy. */
  readonly uncappedTarget?: ResourceAmounts | undefined
}

/** A resource that a recommender answers for. */
export type ControlledResource = 'cpu' | 'memory'
