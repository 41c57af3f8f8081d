export * from '@trimtab/control'
