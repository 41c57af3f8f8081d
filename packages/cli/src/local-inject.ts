export * from '@trimtab/local/inject'
