export * from '@trimtab/gateway'
