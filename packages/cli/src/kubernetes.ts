export * from '@trimtab/kubernetes'
