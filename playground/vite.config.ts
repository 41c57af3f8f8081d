import { defineConfig } from 'vite'

// Relative addresses: the build runs from any folder of any static host.
export default defineConfig({
  root: import.meta.dirname,
  base: './',
  build: { target: 'es2022', outDir: 'dist', emptyOutDir: true },
  worker: { format: 'es' },
})
