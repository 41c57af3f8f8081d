export * from '@trimtab/openwhisk'
