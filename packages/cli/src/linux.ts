export * from '@trimtab/linux'
