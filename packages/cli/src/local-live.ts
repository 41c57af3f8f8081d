export * from '@trimtab/local/live'
