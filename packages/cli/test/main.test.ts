import type { AutoscalingComparison } from '@trimtab/studies'
import { describe, expect, it } from 'vitest'
import { createAutoscale } from '../src/commands/autoscale.js'
import { main } from '../src/main.js'
import { createFakeHost } from './fake-host.js'
import { createSampleReport } from './sample-report.js'

describe('trimtab', () => {
  it.each([
    ['--help', ['--help'], 0, /Autoscaling:\n {2}autoscale .*\n {2}recommend /],
    ['--version', ['--version'], 0, /^\d+\.\d+\.\d+\n$/],
    ['autoscale --help', ['autoscale', '--help'], 0, /Examples:\n {2}trimtab autoscale\n/],
    ['doctor --help', ['doctor', '--help'], 0, /Usage: trimtab doctor/],
    ['doctor -h', ['doctor', '-h'], 0, /Usage: trimtab doctor/],
    ['no command', [], 0, /Autoscaling:\n {2}autoscale /],
    ['help', ['help'], 0, /Autoscaling:\n {2}autoscale /],
    ['-h', ['-h'], 0, /Autoscaling:\n {2}autoscale /],
    ['help trace', ['help', 'trace'], 0, /Usage: trimtab trace <command>/],
    ['help trace culprits', ['help', 'trace', 'culprits'], 0, /Usage: trimtab trace culprits FILE/],
    ['-v', ['-v'], 0, /^\d+\.\d+\.\d+\n$/],
    ['version', ['version'], 0, /^\d+\.\d+\.\d+\n$/],
  ])('answers %s on stdout', async (_, argv, code, text) => {
    const host = createFakeHost()
    expect(await main(argv, host)).toBe(code)
    expect(host.out()).toMatch(text)
    expect(host.err()).toBe('')
  })

  it.each([
    ['a misspelt command', ['autoscael'], /unknown command "autoscael"; did you mean autoscale\?/],
    ['help of a misspelt command', ['help', 'shedule'], /unknown command "shedule"; did you mean schedule\?/],
    ['a command of no command', ['trace', 'culprit'], /unknown command "culprit"; did you mean culprits\?/],
    ['the name of an inherited property', ['toString'], /unknown command "toString"/],
    ['an unknown option', ['doctor', '--fix'], /unknown option --fix/],
    ['an SLO of zero', ['autoscale', '--slo-factor', '0'], /--slo-factor must be a number from 1\.01 to 100, got "0"/],
    ['a load that is not there', ['autoscale', '--load', 'gone.csv'], /--load gone\.csv cannot be read: ENOENT/],
    ['a report that cannot be written', ['autoscale', '--report', '/forbidden/r.html'], /--no-report/],
  ])('refuses %s with 2 and a way out', async (_, argv, text) => {
    const host = createFakeHost()
    expect(await main(argv, host)).toBe(2)
    expect(host.err()).toMatch(text)
    expect(host.err()).toMatch(/Run trimtab .*--help/)
    expect(host.out()).toBe('')
  })
})

describe('a file that cannot be used', () => {
  it.each([
    ['predict-length run hi --model input'],
    ['predict-length eval input --model input'],
    ['trace profile input'],
    ['schedule --requests input'],
    ['rightsize input'],
    ['embed input --model input'],
    ['similarity input input --model input'],
  ])('is refused by trimtab %s in words, without a stack trace', async (call) => {
    const host = createFakeHost()
    host.files.set('input', 'TRIMTAB\n{"format":"x"}\n1,2,NaN\n')
    expect(await main(call.split(' '), host)).toBeGreaterThan(0)
    expect(host.err()).toMatch(/^trimtab: /)
    expect(host.err()).not.toMatch(/^\s+at /m)
  })
})

describe('trimtab autoscale', () => {
  const answer = (report = createSampleReport()) => {
    const requests: AutoscalingComparison[] = []
    const command = createAutoscale(async (request, { onProgress }) => {
      requests.push(request)
      onProgress({ done: 1, total: 1, label: 'app 1/1' })
      return report
    })
    return { command, requests }
  }

  it('passes what the call says', async () => {
    const host = createFakeHost()
    host.files.set('data/load.csv', 'index,requests\n0,5\n')
    const { command, requests } = answer()
    const argv = [
      '--load',
      'data/load.csv',
      '--slo-factor',
      '1.15',
      '--controllers',
      'resize,trimtab',
      ...['--days', '3', '--resize', 'restart', '--price-core', '0.04', '--budget', '1'],
      '--apps',
      '2',
      '--seed',
      '9',
      '--workers',
      '1',
    ]
    expect(await command.execute(argv, host)).toBe(0)
    expect(requests).toEqual([
      {
        load: { name: 'load.csv', text: 'index,requests\n0,5\n' },
        sloFactor: 1.15,
        controllers: ['resize', 'trimtab'],
        apps: 2,
        seeds: 3,
        days: 3,
        resize: 'restart',
        prices: { perCore: 0.04, perGiB: 0.0045 },
        budgetPercent: 1,
        seed: 9,
        workers: 1,
      },
    ])
  })

  it('prints the table, writes the report and says where', async () => {
    const host = createFakeHost()
    expect(await answer().command.execute([], host)).toBe(0)
    expect(host.out()).toMatch(/^Trimtab /m)
    expect(host.out()).toMatch(/report: trimtab-report\.html\n$/)
    expect(host.files.get('trimtab-report.html')).toContain('<!doctype html>')
  })

  it('prints nothing but JSON on stdout with --json', async () => {
    const host = createFakeHost()
    await answer().command.execute(['--json', '--report', 'r.html'], host)
    expect(JSON.parse(host.out())).toEqual(createSampleReport())
    expect(host.err()).toContain('report: r.html')
  })

  it('writes no file with --no-report', async () => {
    const host = createFakeHost()
    await answer().command.execute(['--no-report'], host)
    expect(host.files.size).toBe(0)
    expect(host.out()).not.toContain('report:')
  })

  it('ends with 1 and the reason when the policy should not replace the rule', async () => {
    const host = createFakeHost()
    const verdict = { isFor: false, text: 'Trimtab should not replace the strongest rule on this load: it is dear.' }
    expect(await answer(createSampleReport({ verdict })).command.execute([], host)).toBe(1)
    expect(host.err()).toContain(`trimtab: ${verdict.text}\n`)
  })

  it('refuses --episodes, which it had once, as any option that there is not', async () => {
    const host = createFakeHost()
    expect(await main(['autoscale', '--episodes', '50'], host)).toBe(2)
    expect(host.err()).toContain('unknown option --episodes')
  })

  it('says in its help where the agents of the papers are', async () => {
    const host = createFakeHost()
    await main(['autoscale', '--help'], host)
    expect(host.out()).toContain('trimtab compare autoscaling')
  })

  it('refuses an endless load, having read no more than it may', async () => {
    let pieces = 0
    async function* readBytes() {
      for (; ; pieces++) yield new Uint8Array(1000)
    }
    const call = answer().command.execute(['--load', 'l.csv', '--max-bytes', '64KiB'], {
      ...createFakeHost(),
      readBytes,
    })
    await expect(call).rejects.toThrow('--load l.csv holds more than 64KiB: raise --max-bytes, or give less of it')
    expect(pieces).toBe(65)
  })
})
