export * from '@trimtab/prometheus'
