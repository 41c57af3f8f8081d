export * from '@trimtab/operator'
