import { printable } from '@trimtab/core/text'
import { stateFolders } from '@trimtab/node/files'
import { NvmlError } from '@trimtab/nvml'
import { EXIT } from '../command.js'
import type { Host } from '../host.js'
import { type Option, textOption, UsageError } from '../options.js'
import { createPaint } from '../terminal.js'

type Nvml = import('@trimtab/nvml').Nvml

/** What every `trimtab gpu` command takes. */
export const commonOptions: Readonly<Record<'library' | 'leases', Option<string | undefined>>> = {
  library: textOption('FILE', "NVML's library, where it is not in its usual place", undefined),
  leases: textOption('DIR', 'where processes say that they drive a GPU (default: /run/trimtab)', undefined),
}

/** The folders that `--leases` names. */
export const leaseFoldersOf = (leases: string | undefined): readonly string[] =>
  leases === undefined ? stateFolders() : [leases]

/** What names one GPU. */
export const gpuOption: Option<string | undefined> = textOption(
  'GPU',
  'UUID or index, as trimtab gpu list shows them (default: the only one, of those in CUDA_VISIBLE_DEVICES)',
  undefined,
)

const BAD_CALL: readonly unknown[] = ['gpu_ambiguous', 'gpu_hidden', 'gpu_unknown', 'nvml_not_found']
const FROM_THE_HOST: readonly unknown[] = ['gpu_in_use', 'lease_unwritable', 'state_folder_unsafe']

/**
 * Opens NVML and acts. What NVML or a lease says no to is one line on stderr and exit code 1. NVML stays open to the end of the
 * process: what gives a locked clock back may need it as the last thing.
 */
export async function withNvml(
  library: string | undefined,
  host: Host,
  act: (nvml: Nvml) => Promise<number> | number,
): Promise<number> {
  try {
    const { Nvml } = await import('@trimtab/nvml')
    return await act(await Nvml.open(library))
  } catch (error) {
    const { code, message } = error as { readonly code?: unknown; readonly message: string }
    if (BAD_CALL.includes(code)) throw new UsageError(message)
    if (!(error instanceof NvmlError) && !FROM_THE_HOST.includes(code)) throw error
    host.stderr.write(`${createPaint(host.stderr, host.env).bad('trimtab:')} ${printable(message)}\n`)
    return EXIT.badAnswer
  }
}
