export * from '@trimtab/tasks/cpu-frequency'
