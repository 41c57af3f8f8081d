export * from '@trimtab/local'
