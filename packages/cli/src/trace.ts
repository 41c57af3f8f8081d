export * from '@trimtab/trace'
