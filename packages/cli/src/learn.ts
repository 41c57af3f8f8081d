export * from '@trimtab/learn'
