// Usage: node examples/shop/shop.mjs [--seconds 10] [--rate 20] [--size 1] [--to DIR]
// A shop of ten services, each a process of its own, under a steady load; their spans go to a collector and from there to files, of which
// `trimtab trace` says what the requests waited for.
import { mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Collector } from '@trimtab/local/collect'
import { launchShop } from './launch.mjs'
import { REQUESTS } from './services.mjs'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    rate: { type: 'string', default: '20' },
    size: { type: 'string', default: '1' },
    to: { type: 'string' },
  },
})
const folder = values.to ?? mkdtempSync(join(tmpdir(), 'trimtab-shop-'))
const traces = join(folder, 'traces')
mkdirSync(folder, { recursive: true })

const collector = await Collector.start({ port: 0, folder: traces, onError: ({ message }) => console.error(message) })
const shop = await launchShop({ collector: `http://127.0.0.1:${collector.port}/v1/traces`, folder })
for (const { name, pid, port } of shop.services) console.log(`${name.padEnd(16)} pid ${pid}, port ${port}`)

let isOver = false
for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => {
    isOver = true
  })

// Open loop: a request goes out when it is due, whatever became of the others.
const [rate, count] = [Number(values.rate), Number(values.rate) * Number(values.seconds)]
const started = performance.now()
const answers = []
for (let i = 0; i < count && !isOver; i++) {
  await setTimeout(Math.max(0, started + (1000 * i) / rate - performance.now()))
  const request = `${shop.url}/${REQUESTS[i % REQUESTS.length]}?size=${values.size}`
  answers.push(
    fetch(request, { method: 'POST' }).then(
      ({ ok }) => ok,
      () => false,
    ),
  )
}
const failed = (await Promise.all(answers)).filter((ok) => !ok).length
await shop.stop()
await collector.close()

console.log(`${answers.length} requests, ${failed} failed; ${collector.statistics().spans} spans in ${traces}`)
console.log(`npx trimtab trace profile ${traces}/*`)
