export * from '@trimtab/nvml'
