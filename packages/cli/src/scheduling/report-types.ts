// What `trimtab schedule` found, as plain data: for --json, for the terminal and for the page.
import type { Batching } from '@trimtab/serve'

/**
 * An order of service: first come first served, by class of length, shortest expected first with and without ageing, and with
 * lengths known.
 */
export type PolicyName = 'fcfs' | 'class' | 'ssjf' | 'ssjf-unaged' | 'oracle'
export const POLICY_NAMES: readonly PolicyName[] = ['fcfs', 'class', 'ssjf', 'ssjf-unaged', 'oracle']

export const BATCHINGS: readonly Batching[] = ['none', 'dynamic', 'continuous']

/** Over seeds. */
export interface SeedSpread {
  readonly mean: number
  readonly deviation: number
  readonly worst: number
}

export interface LogFacts {
  readonly name: string
  readonly requests: number
  readonly models: number
  readonly skipped: number
}

export interface EstimateFacts {
  /** Who estimated, in words. */
  readonly name: string
  /** Of pairs of requests to one model, the share that the estimates put in the right order; ties count half. */
  readonly pairwiseOrder: number
  /** They learn from each request that is done: the share is that from before. */
  readonly isLearning: boolean
}

/** One policy at one load under one way of batching, mean and spread over seeds. */
export interface PolicyResult {
  readonly batching: Batching
  readonly load: number
  readonly policy: PolicyName
  readonly meanJctSeconds: SeedSpread
  readonly p50JctSeconds: SeedSpread
  readonly p99JctSeconds: SeedSpread
  readonly meanWaitSeconds: SeedSpread
  readonly maxWaitSeconds: SeedSpread
  readonly throughputPerSecond: SeedSpread
  readonly attainment01: SeedSpread
  /** Of the mean completion time and of the longest wait, against first come, first served in the same run. */
  readonly meanJctOverFcfs: SeedSpread
  readonly maxWaitOverFcfs: SeedSpread
}

/** For the plots, at the highest load: all seeds together. */
export interface PolicyCurves {
  readonly batching: Batching
  readonly policy: PolicyName
  /** Completion time of the 0th, 2nd, … 100th percentile, s. */
  readonly jctPercentiles: readonly number[]
  /** Mean completion time of each tenth of the requests by true length, shortest first, s. */
  readonly meanJctByLength: readonly number[]
}

/** What `trimtab schedule` found, as it writes it to JSON and draws it. */
export interface ScheduleReport {
  readonly format: 'trimtab-schedule'
  readonly version: 1
  readonly log: LogFacts
  /** Null where no policy asks for estimates. */
  readonly estimates: EstimateFacts | null
  readonly settings: {
    readonly policies: readonly PolicyName[]
    readonly batchings: readonly Batching[]
    readonly loads: readonly number[]
    /** Name of the pattern of arrivals. */
    readonly arrivals: string
    readonly count: number
    readonly seeds: number
    readonly seed: number
    readonly bypass: number
    readonly servers: number
    readonly maxBatchSize: number
    readonly batchWaitSeconds: number
    readonly secondsPerToken: number
    readonly secondsPerRequest: number
    readonly sloScale: number
  }
  readonly results: readonly PolicyResult[]
  readonly curves: readonly PolicyCurves[]
}
