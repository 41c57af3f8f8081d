// Usage: node examples/shop/shop.mjs [--seconds 10] [--rate 20] [--size 1] [--campaign FILE] [--to DIR] [--collector URL]
// A shop of ten services, each a process of its own, under a steady load; their spans go to a collector and from there to files, of which
// `trimtab trace` says what the requests waited for, or to a collector elsewhere. A campaign disturbs it; what that really did is written to
// truth.json. services.json says whose processes these are: what `trimtab mitigate --live --act` may change.
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { createCore } from '@trimtab/core'
import { inject } from '@trimtab/local/inject'
import { parseCampaign } from '@trimtab/tasks/microservices'
import { OpenShop } from './open-shop.mjs'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '10' },
    rate: { type: 'string', default: '20' },
    size: { type: 'string', default: '1' },
    campaign: { type: 'string' },
    to: { type: 'string' },
    collector: { type: 'string' },
  },
})
const CORES = 0.15 // of each service while all is well: two cores have room for more then
const campaign = values.campaign && parseCampaign(readFileSync(values.campaign, 'utf8'))
const folder = values.to ?? mkdtempSync(join(tmpdir(), 'trimtab-shop-'))
const traces = join(folder, 'traces')
mkdirSync(folder, { recursive: true })

const isOver = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => isOver.abort())

const open = await OpenShop.open({ folder, traces, elsewhere: values.collector })
const held = open.shop.services.map(({ name, pid }) => [name, { pid, cores: CORES }])
const services = { format: 'trimtab-services/1', services: Object.fromEntries(held) }
writeFileSync(join(folder, 'services.json'), `${JSON.stringify(services, undefined, 2)}\n`)
for (const { name, pid, port } of open.shop.services) console.log(`${name.padEnd(16)} pid ${pid}, port ${port}`)

const disturbed = new AbortController()
const { signal } = disturbed
const truth = campaign && inject({ campaign, world: open.world, core: await createCore(), signal })
const [rate, seconds, size] = [values.rate, values.seconds, values.size].map(Number)
const { sent, failed } = await open.serve({ rate, seconds, size, signal: isOver.signal })
disturbed.abort()
if (truth) writeFileSync(join(folder, 'truth.json'), JSON.stringify(await truth, undefined, 2))
await open.close()

console.log(`${sent} requests, ${failed} failed`)
if (!values.collector) console.log(`${open.collector.statistics().spans} spans: npx trimtab trace profile ${traces}/*`)
