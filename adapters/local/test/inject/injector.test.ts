import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { createCore } from '@trimtab/core'
import { type Anomaly, type AnomalyKind, STRONGEST } from '@trimtab/tasks/microservices'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { EdgeProxy, type InjectionWorld, inject, type StressKind, Stressor } from '../../src/inject.js'
import { STRESSOR_PROGRAM } from '../../src/programs.js'
import { fixture, isAlive } from '../start.js'

const core = await createCore()

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trimtab-inject-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

describe.each<StressKind>(['cpu', 'llc', 'memory-bandwidth', 'disk-io'])('a stressor of %s', (kind) => {
  it('does nothing until it is told to, counts what it does, and leaves nothing when it is stopped', async () => {
    const stressor = await Stressor.start({ kind, mostLevel: 0.5, pid: process.pid, folder })
    const { pid } = stressor
    expect(stressor.measure().bytes ?? 0).toBe(0)
    stressor.setLevel(0.5)
    const unit = kind === 'cpu' ? 'cpuSeconds' : 'bytes'
    await expect.poll(() => stressor.measure()[unit]).toBeGreaterThan(kind === 'cpu' ? 0.5 : 2 ** 20)
    expect(readdirSync(folder)).toEqual([])
    await stressor.stop()
    await stressor.stop()
    expect(isAlive(pid)).toBe(false)
  })

  it('ends with its parent, though that is killed', async () => {
    const plan = JSON.stringify({ kind, threads: 2, perCpu: 1, cgroups: [], folder })
    const parent = spawn(process.execPath, [fixture('start-stressor.mjs'), STRESSOR_PROGRAM, plan])
    const pid = Number(await new Promise((resolve) => parent.stdout.once('data', resolve)))
    expect(isAlive(pid)).toBe(true)
    parent.kill('SIGKILL')
    await expect.poll(() => isAlive(pid)).toBe(false)
    expect(readdirSync(folder)).toEqual([])
  })
})

describe('an injected campaign', () => {
  let server: Server
  let requests = 0
  let proxy: EdgeProxy
  let world: InjectionWorld
  beforeEach(async () => {
    requests = 0
    server = createServer((_, response) => {
      requests++
      response.end('x'.repeat(1000))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    proxy = await EdgeProxy.listen({ port })
    const surge = { url: `http://127.0.0.1:${proxy.port}/`, ratePerSecond: 40 }
    world = {
      targets: [
        { service: 'cart', replicas: [{ pid: process.pid }], proxies: [proxy], folder, surge },
        { service: 'bare', replicas: [] },
      ],
      requests: { browse: surge },
    }
  })
  afterEach(async () => {
    await proxy.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })

  const anomaly = (kind: AnomalyKind, more: Partial<Anomaly> = {}): Anomaly => ({
    kind,
    target: { service: 'cart' },
    startSeconds: 0.5,
    durationSeconds: 50,
    intensity: 1,
    ...more,
  })
  const campaignOf = (...anomalies: Anomaly[]) => ({ name: 'test', anomalies })

  it('does every kind of it, and its truth is what the sensors of each say', async () => {
    const campaign = campaignOf(
      anomaly('workload', { target: { request: 'browse' } }),
      anomaly('network-delay'),
      anomaly('network-bandwidth', { intensity: 0.5 }),
      anomaly('cpu', { intensity: 0.3, target: { service: 'cart', replica: 0 } }),
      anomaly('disk-io', { pattern: 'ramp' }),
    )
    const MEASURES = ['sent', 'heldMs', 'bytes', 'cpuSeconds', 'bytes']
    const totals = MEASURES.map(() => 0)
    const stop = new AbortController()
    const truth = await inject({
      ...{ campaign, world, core, signal: stop.signal },
      onSecond(index, { measured }) {
        totals[index]! += measured[MEASURES[index]!] ?? 0
        if (totals.every((total) => total > 0)) stop.abort() // after how long is the machine's affair
      },
    })
    expect(truth.anomalies.map(({ seconds: _, ...rest }) => rest)).toEqual(campaign.anomalies)
    const total = (index: number, name: string): number =>
      truth.anomalies[index]!.seconds.reduce((sum, { measured }) => sum + (measured[name] ?? 0), 0)
    expect(MEASURES.map((name, index) => total(index, name))).toEqual(totals)
    expect(requests).toBeGreaterThan(0)
    expect(requests).toBeLessThanOrEqual(total(0, 'sent'))
    // Requests pass at once, answers after 25 ms: half of all pieces.
    expect(total(1, 'heldMs')).toBeGreaterThan((total(1, 'pieces') / 2) * STRONGEST.delayMs * 0.5)
    const levels = truth.anomalies[4]!.seconds.map(({ level }) => level)
    expect(levels).toEqual([...levels].sort((a, b) => a - b))
    expect(readdirSync(folder)).toEqual([])
  })

  it('is undone when the signal is given, and says what was done until then', async () => {
    const campaign = campaignOf(anomaly('network-delay', { startSeconds: 0, durationSeconds: 1000 }))
    const truth = await inject({ campaign, world, core, signal: AbortSignal.timeout(300) })
    expect(truth.anomalies[0]!.seconds.at(-1)!.at).toBeLessThan(1000)
    const began = truth.anomalies[0]!.seconds.length
    await fetch(`http://127.0.0.1:${proxy.port}/`).then((answer) => answer.text())
    expect(truth.anomalies[0]!.seconds.length).toBe(began)
  })

  it('refuses all that it cannot do before it does anything', async () => {
    const campaign = campaignOf(
      anomaly('network-delay', { target: { service: 'bare' } }),
      anomaly('disk-io', { target: { service: 'bare' } }),
      anomaly('workload', { target: { service: 'bare' } }),
      anomaly('workload', { target: { request: 'buy' } }),
      anomaly('cpu', { target: { service: 'none' } }),
      anomaly('cpu', { target: { service: 'cart', replica: 1 } }),
    )
    await expect(inject({ campaign, world, core })).rejects.toThrow(
      /no proxy in front of bare.*bare has no folder.*bare has no surge.*no request buy; there are browse.*no service none; there are cart, bare.*cart has 1 replicas, got 1/,
    )
    await expect(inject({ campaign: campaignOf(anomaly('cpu', { intensity: 2 })), world, core })).rejects.toThrow(
      /intensity/,
    )
    expect(requests).toBe(0)
  })
})
