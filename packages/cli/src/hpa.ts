export * from '@trimtab/tasks/hpa'
