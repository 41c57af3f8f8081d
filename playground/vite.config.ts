import { basename, join } from 'node:path'
import { defineConfig, type Plugin, runnerImport } from 'vite'
import { REPOSITORY } from '../scripts/repository.mjs'
import { PAGES } from './pages.js'
import { framed } from './shell.js'

/** Names of the tasks that learn by doing, as built: whatever conditions the process that builds the site resolves by. */
const tasks = runnerImport<{ readonly CONTROL_TASKS: readonly string[] }>('trimtab/tasks', {
  root: import.meta.dirname,
  configFile: false,
  logLevel: 'error',
  environments: { inline: { resolve: { noExternal: true } } },
}).then(({ module }) => module.CONTROL_TASKS)

const sharedFrame: Plugin = {
  name: 'shared-frame',
  transformIndexHtml: {
    order: 'pre',
    handler: async (html, { filename }) =>
      framed(html, basename(filename, '.html'), {
        repository: REPOSITORY && `${REPOSITORY}/tree/main`,
        tasks: await tasks,
      }),
  },
}

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
  plugins: [sharedFrame, contentSecurityPolicy],
  build: {
    target: 'es2022',
    outDir: 'dist',
    emptyOutDir: true,
    rolldownOptions: {
      input: PAGES.map(({ name }) => join(import.meta.dirname, `${name}.html`)),
    },
  },
  worker: { format: 'es' },
})
