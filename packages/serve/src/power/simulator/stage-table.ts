import type { GpuLaw, Work } from './gpu-law.js'
import { workMillijoules, workMs } from './gpu-law.js'
import type { ServedModel } from './served-model.js'

/** Time and energy of one partition at every clock of the GPU, for a request of length 0 and for each unit of length. */
export interface StageTable {
  /** [clock] ms */
  readonly promptMs: Float64Array
  readonly lengthMs: Float64Array
  /** [clock] millijoules above the idle device */
  readonly promptMillijoules: Float64Array
  readonly lengthMillijoules: Float64Array
}

/** Passing one token's activations on to the next device: NVLink's send and receive take 4 … 13 µs in Vidur's profiles, PCIe more. */
const HOP_MS = 0.02

/**
 * @param begin,end  operators of the partition
 * @param hops       whether the partition before lies on another device
 */
export function stageTable(law: GpuLaw, model: ServedModel, begin: number, end: number, hops: boolean): StageTable {
  const operators = model.operators.slice(begin, end)
  const total = (works: readonly Work[], of: (law: GpuLaw, work: Work, clock: number) => number): Float64Array =>
    Float64Array.from(law.clocksMhz, (clock) => works.reduce((sum, work) => sum + of(law, work, clock), 0))
  const prompts = operators.map(({ prompt }) => prompt)
  const lengths = operators.map(({ fullLength }) => fullLength)
  const hopMs = hops ? HOP_MS : 0
  return {
    promptMs: total(prompts, workMs).map((ms) => ms + hopMs),
    lengthMs: total(lengths, workMs).map((ms) => ms + hopMs * model.fullTokens),
    promptMillijoules: total(prompts, workMillijoules),
    lengthMillijoules: total(lengths, workMillijoules),
  }
}
