export * from '@trimtab/tasks/microservices'
