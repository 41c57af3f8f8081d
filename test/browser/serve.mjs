// Serves a folder on loopback, as any static host would: no special headers beyond the content type.
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { extname, join, normalize } from 'node:path'

const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
}

/**
 * @param path  where the folder is on the site, `/deep/er`
 * @param beside  files of the folder that are not on the disk, name → text
 * @returns the origin to open and `close()`
 */
export async function serve(folder, { path: base = '', beside = {} } = {}) {
  const server = createServer(async (request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url ?? '/', 'http://localhost').pathname))
    if (path === '/favicon.ico') return response.writeHead(204).end()
    try {
      if (!path.startsWith(`${base}/`)) throw new Error('outside')
      const name = path.slice(base.length + 1)
      const file = name.endsWith('/') || name === '' ? `${name}index.html` : name
      const body = beside[file] ?? (await readFile(join(folder, file)))
      response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' }).end(body)
    } catch {
      response.writeHead(404).end(`${path} is not here`)
    }
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${server.address().port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(resolve)
        server.closeAllConnections()
      }),
  }
}
