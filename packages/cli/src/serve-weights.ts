export * from '@trimtab/serve/weights'
