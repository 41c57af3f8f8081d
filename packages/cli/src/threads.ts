export * from '@trimtab/core/threads'
