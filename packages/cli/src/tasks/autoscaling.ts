export * from '@trimtab/tasks/autoscaling'
