import { join } from 'node:path'
import { defineConfig } from 'vite'

// Relative addresses: the build runs from any folder of any static host.
export default defineConfig({
  root: import.meta.dirname,
  base: './',
  build: {
    target: 'es2022',
    outDir: 'dist',
    emptyOutDir: true,
    rolldownOptions: {
      input: ['index.html', 'traces.html', 'serving.html'].map((page) => join(import.meta.dirname, page)),
    },
  },
  worker: { format: 'es' },
})
