import { join } from 'node:path'
import { defineConfig, type Plugin } from 'vite'

/**
 * What the pages may do: their own scripts, styles, workers and WebAssembly, nothing from elsewhere. Attributes `style` are allowed, for
 * lengths of bars in the parts of a report. The dev server needs style elements and its socket beside that.
 */
const contentSecurityPolicy: Plugin = {
  name: 'content-security-policy',
  transformIndexHtml: (_, { server }) => {
    const policy = [
      "default-src 'none'",
      "script-src 'self' 'wasm-unsafe-eval'",
      "style-src 'self' 'unsafe-inline'", // attributes; where a browser knows style-src-elem, no element
      ...(server ? [] : ["style-src-elem 'self'"]),
      "worker-src 'self'",
      `connect-src 'self'${server ? ' ws:' : ''}`,
      'img-src data:',
      "base-uri 'none'",
      "form-action 'none'",
    ].join('; ')
    return [
      { tag: 'meta', attrs: { 'http-equiv': 'Content-Security-Policy', content: policy }, injectTo: 'head-prepend' },
    ]
  },
}

// Relative addresses: the build runs from any folder of any static host.
export default defineConfig({
  root: import.meta.dirname,
  base: './',
  plugins: [contentSecurityPolicy],
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
