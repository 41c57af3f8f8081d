/** AWS Lambda gives CPU in proportion to memory: one vCPU at 1769 MB. */
export const MB_PER_VCPU = 1769
/** The sizes of the paper's measurements (A.2), MB. */
export const LAMBDA_SIZES_MB: readonly number[] = [128, 256, 512, 1024, 2048, 3008]
/** x86, first tier, 2024; USD for a GB of memory over a second. */
export const AWS_USD_PER_GB_SECOND = 0.0000166667
