import { ConfigError } from '@trimtab/core'
import { findGpu, listGpus, type NvmlGpu } from './gpu.js'
import type { Nvml } from './nvml.js'

/** How CUDA is told which GPUs a program may use; NVML does not look at it. */
export interface CudaEnvironment {
  readonly CUDA_VISIBLE_DEVICES?: string | undefined
  readonly CUDA_DEVICE_ORDER?: string | undefined
}

/**
 * `findGpu` among the GPUs that CUDA would show: without a selector the only one of them.
 *
 * @param onHidden  told when the selector names one that CUDA hides: what is started from here does not run on it
 * @throws {ConfigError} `gpu_hidden` (none is shown), `gpu_ambiguous` (several are, or nobody knows which an index means), `gpu_unknown`
 * @throws {NvmlError} not there, lost
 */
export function findVisibleGpu(
  nvml: Nvml,
  selector: string | undefined,
  environment: CudaEnvironment,
  onHidden: (message: string) => void,
): NvmlGpu {
  const { CUDA_VISIBLE_DEVICES: said } = environment
  if (said === undefined) return findGpu(nvml, selector)
  if (selector === undefined) {
    const [only, ...others] = visibleGpus(nvml, said, environment)
    if (!only) throw new ConfigError('gpu_hidden', `CUDA_VISIBLE_DEVICES=${said} hides every GPU: name one by its UUID`)
    if (others.length > 0)
      throw new ConfigError('gpu_ambiguous', `CUDA_VISIBLE_DEVICES=${said} shows several GPUs: name one by its UUID`)
    return only
  }
  const gpu = findGpu(nvml, selector)
  if (!isShown(nvml, gpu, said, environment))
    onHidden(`CUDA_VISIBLE_DEVICES=${said} does not show ${gpu.subject}: what is started from here does not run on it`)
  return gpu
}

/** Where an index means nobody knows which, nothing is said. */
function isShown(nvml: Nvml, gpu: NvmlGpu, said: string, environment: CudaEnvironment): boolean {
  try {
    return visibleGpus(nvml, said, environment).some(({ uuid }) => uuid === gpu.uuid)
  } catch (error) {
    if ((error as ConfigError).code === 'gpu_ambiguous') return true
    throw error
  }
}

/** Boards by the entries of the list, each once; like CUDA it ends at the first entry that names none. */
function visibleGpus(nvml: Nvml, said: string, environment: CudaEnvironment): NvmlGpu[] {
  const boards = listGpus(nvml)
  const found = new Map<string, NvmlGpu>()
  for (const entry of said.split(',').map((each) => each.trim())) {
    const gpu = boardOf(nvml, entry, boards, environment)
    if (!gpu) break
    found.set(gpu.uuid, gpu)
  }
  return [...found.values()]
}

function boardOf(
  nvml: Nvml,
  entry: string,
  boards: readonly NvmlGpu[],
  { CUDA_DEVICE_ORDER }: CudaEnvironment,
): NvmlGpu | undefined {
  if (entry.startsWith('MIG-')) return findGpu(nvml, entry)
  if (entry.startsWith('GPU-')) return boards.find(({ uuid }) => uuid.startsWith(entry)) // CUDA takes beginnings of a UUID
  if (!/^\d+$/.test(entry)) return undefined
  // CUDA counts the fastest first, NVML by PCI address: the same where all are alike.
  if (CUDA_DEVICE_ORDER !== 'PCI_BUS_ID' && new Set(boards.map(({ name }) => name)).size > 1)
    throw new ConfigError(
      'gpu_ambiguous',
      `CUDA_VISIBLE_DEVICES counts GPUs of several kinds in an order of CUDA's own: set CUDA_DEVICE_ORDER=PCI_BUS_ID, or name one by its UUID`,
    )
  return boards[Number(entry)]
}
