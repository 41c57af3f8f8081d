export * from '@trimtab/studies'
