// A page of the server, one of the browser and a route on the edge, built and served by Next, which is installed beside this file.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const HERE = fileURLToPath(new URL('.', import.meta.url))
const NEXT = join(HERE, 'node_modules/next/dist/bin/next')
const TIMEOUT_MS = 600_000 // on a machine that does other things too
/** It asks nobody: neither to count us, nor for what it misses in the lock file of the packages, which it is not in. */
const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1', NEXT_IGNORE_INCORRECT_LOCKFILE: '1' }

/** Where a server says that it listens. */
function originOf(server) {
  return new Promise((resolve, reject) => {
    let said = ''
    for (const stream of [server.stdout, server.stderr])
      stream.on('data', (piece) => {
        said += piece
        const origin = said.match(/http:\/\/127\.0\.0\.1:\d+/)?.[0]
        if (origin) resolve(origin)
      })
    server.on('exit', () => reject(new Error(`the server ended: ${said}`)))
  })
}

/**
 * `next build` and `next start`.
 * @param lines  the file of the ten lines
 * @param app  the folder to build in: below this one, where Next finds itself, and beside node_modules with the packages
 * @param openPage  gives what a page in the browser answers
 * @returns name → answer
 */
export async function answersOfNext(lines, app, openPage) {
  await cp(join(HERE, 'next-app'), app, { recursive: true })
  await cp(lines, join(app, 'ten-lines.mjs'))
  await promisify(execFile)(process.execPath, [NEXT, 'build'], { cwd: app, env, timeout: TIMEOUT_MS })
  const server = spawn(process.execPath, [NEXT, 'start', '--hostname', '127.0.0.1', '--port', '0'], { cwd: app, env })
  try {
    const origin = await originOf(server)
    const text = async (path) => (await fetch(origin + path)).text()
    return {
      'Next, page of the server': (await text('/')).match(/<output>(.*?)<\/output>/)?.[1],
      'Next, in the browser': await openPage(`${origin}/client`),
      'Next, edge route': await text('/edge'),
    }
  } finally {
    server.kill()
    if (server.exitCode === null) await once(server, 'exit')
  }
}
