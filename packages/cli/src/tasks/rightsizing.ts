export * from '@trimtab/tasks/rightsizing'
