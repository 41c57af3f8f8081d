export * from '@trimtab/core/simd'
