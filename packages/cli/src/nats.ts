export * from '@trimtab/nats'
