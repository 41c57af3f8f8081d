export * from '@trimtab/studies/jobs'
