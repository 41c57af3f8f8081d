import { execSync, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { send } from './send.js'
import { start, until } from './start.js'

const WANTED = 10_000
const openFiles = (): number => {
  const text = execSync('ulimit -Hn', { shell: '/bin/sh', encoding: 'utf8' }).trim()
  return text === 'unlimited' ? Number.POSITIVE_INFINITY : Number(text)
}
const fits = Math.min(WANTED, openFiles() - 500)
if (fits < WANTED)
  console.warn(`Only ${fits} of ${WANTED} connections: the system allows no more open files (ulimit -Hn)`)

it(`keeps ${fits} requests in the queue, and serves each of them once`, async () => {
  const started = await start({ concurrency: 8, capacity: WANTED })
  const { port, double, scheduler } = started
  try {
    scheduler.pause()
    const crowd = spawn(
      process.execPath,
      [fileURLToPath(new URL('./fixtures/crowd.mjs', import.meta.url)), `${port}`, `${fits}`],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    )
    let said = ''
    crowd.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
    const closed = new Promise((resolve) => crowd.on('close', resolve))
    await until(() => scheduler.size === fits || crowd.exitCode !== null)
    const { body } = await send(port, { path: '/metrics' })
    expect(body.toString()).toContain(`\ntrimtab_gateway_waiting_requests ${fits}\n`)
    scheduler.start()
    await closed
    expect(JSON.parse(said)).toEqual({ served: fits, mixed: 0, broken: 0, refused: 0 })
    const seen = new Set(double.requests.map(({ body }) => JSON.parse(body.toString()).user))
    expect([double.requests.length, seen.size, double.peak() <= 8]).toEqual([fits, fits, true])
  } finally {
    await started.close()
  }
})
