export * from '@trimtab/tasks'
