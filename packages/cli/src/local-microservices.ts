export * from '@trimtab/local/microservices'
