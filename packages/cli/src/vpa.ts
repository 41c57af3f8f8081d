export * from '@trimtab/tasks/vpa'
