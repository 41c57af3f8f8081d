export * from '@trimtab/core'
