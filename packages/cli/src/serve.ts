export * from '@trimtab/serve'
