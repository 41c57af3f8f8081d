export * from '@trimtab/openwhisk/server'
