import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { FakeNvml, HAS_GCC, sayUnchecked, type Weather } from '../../../adapters/nvml/test/fake/index.js'
import { createRun } from '../src/commands/gpu/run.js'
import { main } from '../src/main.js'
import { createFakeHost, type FakeHost } from './fake-host.js'

if (!HAS_GCC) sayUnchecked('trimtab gpu')

describe('trimtab gpu without a driver', () => {
  it.each([['list'], ['watch'], ['run --slo-ms 100 --latency latency.txt --dry-run'], ['reset']])(
    '%s says in one line what is missing',
    async (call) => {
      const host = createFakeHost()
      expect(await main(['gpu', ...call.split(' '), '--library', '/nowhere/libnvidia-ml.so.1'], host)).toBe(1)
      expect(host.err()).toMatch(
        /^trimtab: (no library of an NVIDIA driver was found|NVML is called through koffi)[^\n]*\n$/,
      )
      expect(host.out()).toBe('')
    },
  )

  it.each([
    ['run --slo-ms 100', /--latency SOURCE and --slo-ms N are needed/],
    ['run --latency x', /--latency SOURCE and --slo-ms N are needed/],
    ['run --slo-ms 0 --latency x', /--slo-ms must be a number from 0.001/],
    ['run --slo-ms 100 --latency - --latency -', /--latency - is given twice/],
    ['run --slo-ms 100 --latency x --metric y', /--metric belongs to a URL/],
    ['run --slo-ms 100 --latency x --report /forbidden/r.html', /cannot be written/],
    ['lists', /unknown command "lists"; did you mean list\?/],
  ])('%s is a bad call', async (call, message) => {
    const host = createFakeHost()
    expect(await main(['gpu', ...call.split(' ')], host)).toBe(2)
    expect(host.err()).toMatch(message)
  })
})

describe.runIf(HAS_GCC)('trimtab gpu', () => {
  let fake: FakeNvml
  let host: FakeHost
  beforeAll(() => {
    fake = new FakeNvml().install()
  })
  beforeEach(() => {
    fake.forget()
    host = createFakeHost()
    host.files.set('latency.txt', '500\n')
  })
  afterAll(() => fake.remove())

  const gpu = (call: string) =>
    main(
      [
        'gpu',
        ...call.split(' '),
        '--library',
        fake.library,
        ...(call.startsWith('watch') ? [] : ['--leases', fake.leaseFolder]),
      ],
      host,
    )
  const run = (call: string) => gpu(`run --slo-ms 1000 --latency latency.txt ${call}`)
  const lines = () =>
    host
      .out()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  const events = (event: string) => lines().filter((line) => line.event === event)
  const leaveLocked = (mhz: number) => {
    mkdirSync(fake.leaseFolder, { recursive: true })
    writeFileSync(
      join(fake.leaseFolder, 'GPU-fake-0.4194305-1.json'),
      JSON.stringify({ command: 'gateway', lockedMhz: mhz }),
    )
  }

  describe('list', () => {
    it('shows each GPU by UUID with its clocks, power and memory', async () => {
      fake.set({ gpus: 2 })
      expect(await gpu('list')).toBe(0)
      expect(host.out()).toMatch(/^driver 570.00-fake\n/)
      expect(host.out()).toMatch(
        /1 {2}GPU-fake-1 {2}Fake A100 {2}1410 MHz {2}210 … 1410 MHz {2}300 \/ 300 W {2}20 \/ 80 GiB\n/,
      )
    })

    it('remarks on MIG, persistence, and a clock that was left locked', async () => {
      fake.set({ mig: 1, persistence: 0 })
      leaveLocked(810)
      await gpu('list')
      expect(host.out()).toMatch(/GPU-fake-0: MIG: slices share one clock\n/)
      expect(host.out()).toMatch(/GPU-fake-0: persistence off: a lock may be forgotten\n/)
      expect(host.out()).toMatch(
        /GPU-fake-0: left locked at 810 MHz by process 4194305 \(gateway\), which died: trimtab gpu reset\n/,
      )
      expect(fake.journal()).toEqual([])
    })

    it('prints JSON for programs', async () => {
      leaveLocked(810)
      await gpu('list --json')
      expect(JSON.parse(host.out())).toMatchObject({
        driver: '570.00-fake',
        gpus: [{ uuid: 'GPU-fake-0', maxClockMhz: 1410, leases: [{ pid: 4194305, lockedMhz: 810, owner: 'dead' }] }],
        lost: [],
      })
    })

    it('says which GPU is lost, and that there is none', async () => {
      fake.set({ lost: 1 })
      expect(await gpu('list')).toBe(1)
      expect(host.err()).toMatch(/^trimtab: GPU 0: the GPU has fallen off the bus[^\n]*\n$/)
      fake.set({ gpus: 0 })
      expect(await gpu('list')).toBe(1)
      expect(host.err()).toMatch(/trimtab: driver 570.00-fake found no GPU\n$/)
    })
  })

  describe('watch', () => {
    it('prints a reading every interval', async () => {
      fake.set({ capped: 900 })
      expect(await gpu('watch --samples 3 --interval 500')).toBe(0)
      const rows = host.out().trimEnd().split('\n')
      expect(rows).toHaveLength(5)
      expect(rows[4]).toMatch(/^ +1.0 s +900 MHz +158 \/ 300 W +\d+ J +87 % +40 % +55 °C {2}power cap$/)
    })

    it('says that energy is integrated where there is no counter', async () => {
      fake.set({ no_energy: 1 })
      await gpu('watch --samples 2 --json')
      expect(lines()).toMatchObject([
        { gpu: 'GPU-fake-0', seconds: 0, energyJoules: 0, energySource: 'integrated' },
        { seconds: 1, energyJoules: 300, energySource: 'integrated' },
      ])
      host = createFakeHost()
      await gpu('watch --samples 1')
      expect(host.out()).toMatch(/integrated from power: there is no counter/)
    })

    it('is told to name one of several GPUs', async () => {
      fake.set({ gpus: 2 })
      expect(await gpu('watch --samples 1')).toBe(2)
      expect(host.err()).toMatch(/there are 2 GPUs: name one by its UUID/)
      expect(await gpu('watch --samples 1 --gpu GPU-fake-1')).toBe(0)
    })
  })

  describe('run', () => {
    it('lowers the clock while there is slack, and gives it back', async () => {
      expect(await run('--seconds 4 --json --report run.html')).toBe(0)
      expect(events('tick').map(({ wantedMhz }) => wantedMhz)).toEqual([1335, 1245, 1155, 1065, 975])
      expect(fake.journal()[0]).toBe('lock 0 1335 1335')
      expect([fake.journal().at(-1), fake.lockedMhz()]).toEqual(['reset 0', undefined])
      expect(events('summary')[0]).toMatchObject({ sloAttainment01: 1, unknownTicks: 0 })
      const html = String(host.files.get('run.html'))
      expect(html).toMatch(/The clock, by the slack of the SLO/)
      const report = JSON.parse(/<script type="application\/json" id="trimtab-gpu">(.*?)<\/script>/s.exec(html)![1]!)
      expect(report).toMatchObject({ gpu: 'Fake A100 (GPU-fake-0)', isDryRun: false, maximumMhz: 1410 })
    })

    it('doubles the clock when the slack is gone, and asks for instances when that does not help', async () => {
      host.files.set('latency.txt', '1200\n')
      await run('--seconds 8')
      expect(host.out()).toMatch(/1200 ms +-20 % +1410 MHz ↑/)
      expect(host.err()).toBe('trimtab: the clock is at its maximum and the SLO is missed: add an instance\n')
      expect(host.out()).toMatch(/SLO kept in 0 % of the time/)
    })

    it('goes to the maximum when the latency is not known, and says why once', async () => {
      host.files.set('latency.txt', 'NaN\n')
      await run('--seconds 3 --json')
      expect(events('tick').map(({ wantedMhz }) => wantedMhz)).not.toContain(1335)
      expect(events('notice')).toMatchObject([{ message: expect.stringMatching(/^latency: "NaN" is no latency/) }])
      expect(events('summary')[0].unknownTicks).toBe(events('tick').length)
    })

    it('lets the slowest decide where several share the clock, as the slices of a GPU under MIG', async () => {
      fake.set({ mig: 1 })
      host.files.set('other.txt', '990\n')
      await run('--latency other.txt --seconds 2 --json')
      expect(events('tick').map(({ latencyMs, wantedMhz }) => [latencyMs, wantedMhz])).not.toContainEqual([500, 1335])
      expect(events('tick')[0]).toMatchObject({ latencyMs: 990, wantedMhz: 1410 })
    })

    it('drives the GPU that CUDA shows, and says when it was told to drive another', async () => {
      fake.set({ gpus: 2 })
      const files = new Map(host.files)
      host = createFakeHost({ env: { CUDA_VISIBLE_DEVICES: 'GPU-fake-1' } })
      for (const [name, text] of files) host.files.set(name, text)
      expect(await run('--seconds 1')).toBe(0)
      expect(fake.journal()[0]).toMatch(/^lock 1 /)
      expect(host.err()).toBe('')
      await run('--seconds 1 --gpu 0')
      expect(host.err()).toMatch(/^trimtab: CUDA_VISIBLE_DEVICES=GPU-fake-1 does not show Fake A100 \(GPU-fake-0\)/)
    })

    it('sets nothing in a dry run, not even what somebody left locked', async () => {
      leaveLocked(810)
      expect(await run('--seconds 3 --dry-run')).toBe(0)
      expect(fake.journal()).toEqual([])
      expect(host.out()).toMatch(/Would lock/)
      expect(host.out()).toMatch(/the clock would have gone down to 1065 MHz/)
      expect(host.err()).toMatch(
        /^trimtab: dry run: nothing is set[^\n]*\ntrimtab: left locked at 810 MHz by process 4194305[^\n]*\n$/,
      )
    })

    it.each<[string, Weather, number, RegExp]>([
      [
        'no permission',
        { denied: 1 },
        1,
        /^trimtab: Fake A100 \(GPU-fake-0\): this user may not: run as root[^\n]*; only watching from now on\n$/,
      ],
      [
        'clocks accepted but not honoured',
        { honour: 0 },
        0,
        /^trimtab: [^\n]*1335 MHz was accepted, but the clock is 1410 MHz: the driver ignores the lock[^\n]*\n$/,
      ],
      [
        'a power cap',
        { capped: 600 },
        0,
        /^trimtab: [^\n]*the clock is 600 MHz: held down by power cap \(103 of 300 W\)\n$/,
      ],
      ['MIG', { mig: 1 }, 0, /^trimtab: [^\n]*MIG is on: all slices share the one clock[^\n]*\n$/],
      [
        'no energy counter',
        { no_energy: 1 },
        0,
        /^trimtab: [^\n]*no energy counter: energy is power integrated over the readings\n$/,
      ],
      ['persistence mode off', { persistence: 0 }, 0, /^trimtab: [^\n]*persistence mode is off[^\n]*\n$/],
    ])('says in one line: %s', async (_, weather, code, message) => {
      fake.set(weather)
      expect(await run('--seconds 4')).toBe(code)
      expect(host.err()).toMatch(message)
      expect(fake.lockedMhz()).toBeUndefined()
      expect(host.out()).toMatch(/SLO kept in 100 % of the time/)
    })

    it('ends when the GPU is lost, with what was seen until then', async () => {
      const { wait } = host
      let waits = 0
      const losing = {
        ...host,
        wait(ms: number, signal: AbortSignal) {
          if (++waits === 2) fake.set({ lost: 1 })
          return wait(ms, signal)
        },
      }
      const call = [
        'gpu',
        'run',
        '--slo-ms',
        '1000',
        '--latency',
        'latency.txt',
        '--library',
        fake.library,
        '--leases',
        fake.leaseFolder,
      ]
      expect(await main(call, losing)).toBe(1)
      expect(host.err()).toMatch(/^trimtab: Fake A100 \(GPU-fake-0\): the GPU has fallen off the bus[^\n]*\n$/)
      expect(host.out()).toMatch(/SLO kept in 100 % of the time/)
      fake.set() // so that this process can give back what it holds, at its end
    })

    it('gives back what a killed process left locked before it begins', async () => {
      leaveLocked(810)
      await run('--seconds 1')
      expect(host.err()).toMatch(
        /^trimtab: [^\n]*process 4194305 \(gateway\) died and left the clock locked at 810 MHz: given back\n$/,
      )
      expect(fake.journal()[0]).toBe('reset 0')
    })

    it.each([
      [
        'a query',
        '{"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[1,"0.25"]},{"metric":{},"value":[1,"0.5"]}]}}',
        '',
        500,
      ],
      ['a scalar query', '{"status":"success","data":{"resultType":"scalar","result":[1,"0.5"]}}', '', 500],
      [
        'a gauge',
        '# TYPE p99 gauge\np99_total 9\np99{model="a"} 0.2\np99{model="b"} 0.5 1700000000\n',
        '--metric p99',
        500,
      ],
      ['a gauge in ms', 'p99 500\n', '--metric p99 --unit ms', 500],
      [
        'a histogram',
        'd_bucket{le="0.1"} 50\nd_bucket{le="1"} 100\nd_bucket{le="+Inf"} 100\nd_sum 3\nd_count 100\n',
        '--metric d',
        982,
      ],
    ])('asks Prometheus for %s', async (_, text, more, latencyMs) => {
      const asked: string[] = []
      const command = createRun(async (url) => {
        asked.push(String(url))
        return new Response(text)
      })
      const call = `--slo-ms 2000 --latency http://prometheus/x --seconds 1 --json ${more}`
      const argv = [...call.trim().split(' '), '--library', fake.library, '--leases', fake.leaseFolder]
      expect(await command.execute(argv, host)).toBe(0)
      expect(asked[0]).toBe('http://prometheus/x')
      expect(events('tick')[0].latencyMs).toBeCloseTo(latencyMs, 6)
    })
  })

  describe('reset', () => {
    it('gives back what the dead left locked, and says when it cannot', async () => {
      leaveLocked(810)
      fake.set({ denied: 1 })
      expect(await gpu('reset')).toBe(1)
      expect(host.out()).toMatch(/^GPU-fake-0: NOT given back: .*run as root/)
      fake.set()
      host = createFakeHost()
      expect(await gpu('reset')).toBe(0)
      expect(host.out()).toBe('GPU-fake-0: given back (810 MHz, process 4194305, gateway)\n')
      host = createFakeHost()
      expect(await gpu('reset')).toBe(0)
      expect(host.out()).toBe('nothing was left locked\n')
      expect(fake.journal()).toEqual(['reset 0'])
    })
  })
})
