export * from '@trimtab/tasks/serverless'
