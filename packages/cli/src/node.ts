export * from '@trimtab/node'
