export * from '@trimtab/tasks/congestion-control'
