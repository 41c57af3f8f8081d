export * from '@trimtab/local/collect'
