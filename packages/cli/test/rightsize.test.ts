import { type Core, createCore } from '@trimtab/core'
import { generateServerless, type RuntimeTable } from '@trimtab/tasks/rightsizing'
import { beforeAll, describe, expect, it } from 'vitest'
import { main } from '../src/main.js'
import { createFakeHost, type FakeHost } from './fake-host.js'

let core: Core
let functions: RuntimeTable
beforeAll(async () => {
  core = await createCore()
  functions = generateServerless(core, { functions: 24, counters: false })
})

/** The generated functions as the table of a user. */
function toCsv({ workloads, configurations }: RuntimeTable, only?: readonly number[]): string {
  const rows = workloads.flatMap(({ name, seconds }) =>
    configurations.flatMap(({ settings }, c) =>
      only && !only.includes(c) ? [] : [`${name},${settings[0]},${seconds[c]! * 1000}`],
    ),
  )
  return ['function,memory_mb,duration_ms', ...rows].join('\n')
}

const hostWith = (files: Readonly<Record<string, string>>): FakeHost => {
  const host = createFakeHost()
  for (const [name, text] of Object.entries(files)) host.files.set(name, text)
  return host
}

describe('trimtab rightsize FILE', () => {
  it('shows the error of the predictor beside every baseline, with progress on stderr', async () => {
    const host = hostWith({ 'f.csv': toCsv(functions) })
    expect(await main(['rightsize', 'f.csv', '--repeats', '2', '--labels', '1,3', '--draws', '3'], host)).toBe(0)
    const lines = host.out().split('\n')
    expect(lines[0]).toBe('f.csv: 24 workloads × 6 configurations, 144 rows')
    expect(lines[3]).toMatch(/^predictor +1 measured +3 measured$/)
    expect(lines.slice(4, 10).map((line) => line.split(' ')[0])).toEqual([
      'best',
      'gaussian',
      'neighbours',
      'factorisation',
      'additive',
      'copy',
    ])
    expect(lines[4]).toMatch(/^best +0\.\d{3} ± 0\.\d{3} +0\.\d{3} ± 0\.\d{3}$/)
    expect(host.err()).toContain('100 % · 60/60 folds')
  })

  it('gives the same JSON for the same seed', async () => {
    const calls = [1, 2].map(() => hostWith({ 'f.csv': toCsv(functions) }))
    for (const host of calls) await main(['rightsize', 'f.csv', '--json', '--repeats', '1', '--labels', '2'], host)
    expect(calls[0]!.out()).toBe(calls[1]!.out())
    const report = JSON.parse(calls[0]!.out())
    expect(report).toMatchObject({
      format: 'trimtab-rightsize-evaluation',
      table: { name: 'f.csv', workloads: 24, configurations: 6 },
      settings: { labels: [2], folds: 5, repeats: 1, draws: 8, seed: 1 },
    })
    const mapeOf = (name: string) => report.predictors.find((one: { name: string }) => one.name === name).errors[0].mape
    expect(mapeOf('best')).toBeLessThan(0.5 * mapeOf('copy'))
  })

  it('writes a page with a line a predictor', async () => {
    const host = hostWith({ 'f.csv': toCsv(functions) })
    await main(['rightsize', 'f.csv', '--repeats', '1', '--labels', '1,2', '--report', 'r.html'], host)
    const page = String(host.files.get('r.html'))
    expect(page.match(/class="line p\d"/g)).toHaveLength(6)
    expect(page).not.toMatch(/https?:\/\//)
    const json = /<script type="application\/json" id="trimtab-rightsize">(.*?)<\/script>/s.exec(page)![1]!
    expect(JSON.parse(json).predictors).toHaveLength(6)
    expect(host.err()).toContain('written: r.html')
  })

  it('trains a network when asked', async () => {
    const host = hostWith({ 'f.csv': toCsv(functions) })
    const argv = ['rightsize', 'f.csv', '--predictor', 'embedding', '--labels', '2', '--folds', '2', '--repeats', '1']
    expect(await main([...argv, '--json'], host)).toBe(0)
    const [{ name, isChosen, errors }] = JSON.parse(host.out()).predictors
    expect([name, isChosen]).toEqual(['embedding', true])
    expect(errors[0].mape).toBeLessThan(1)
  })
})

describe('trimtab rightsize FILE --workload, --measured', () => {
  const advice = async (...argv: string[]) => {
    const mine = generateServerless(core, { functions: 1, seed: 9, counters: false })
    const host = hostWith({
      'f.csv': toCsv(functions),
      'mine.csv': toCsv({ ...mine, workloads: [{ ...mine.workloads[0]!, name: 'mine' }] }, [0, 3]),
      'two.csv': toCsv(functions, [1]),
      'odd.csv': 'function,memory_mb,duration_ms\nmine,192,800\n',
    })
    const code = await main(['rightsize', 'f.csv', ...argv], host)
    return { code, host, truth: mine.workloads[0]! }
  }

  it('predicts a new workload on every configuration and names the cheapest that is fast enough', async () => {
    const { code, host, truth } = await advice('--measured', 'mine.csv', '--max-seconds', '1', '--json')
    expect(code).toBe(0)
    const report = JSON.parse(host.out())
    expect(report).toMatchObject({ workload: 'mine', pool: 24, measured: 2, settings: { maxSeconds: 1 } })
    expect(report.forecasts).toHaveLength(6)
    const sure = report.forecasts.filter(({ fit }: { fit: string }) => fit === 'sure')
    expect(report.best).toEqual(sure[0])
    for (const { configuration, seconds } of report.forecasts) {
      const c = functions.configurations.findIndex(({ name }) => name === configuration)
      expect(seconds / truth.seconds[c]!).toBeGreaterThan(0.6)
      expect(seconds / truth.seconds[c]!).toBeLessThan(1.6)
    }
  })

  it('says it in words, with the interval', async () => {
    const { host } = await advice('--measured', 'mine.csv', '--max-seconds', '1')
    expect(host.out()).toMatch(/mine: 2 measured, the rest predicted by \w+ from 24 workloads/)
    expect(host.out()).toMatch(/^cheapest that takes at most 1 s: memory_mb=\d+, [\d.]+ s, [\d.e-]+ USD a run$/m)
    expect(host.out()).toMatch(/^memory_mb=128 .* measured /m)
    expect(host.out()).toMatch(/^memory_mb=256 +[\d.]+ +[\d.]+ – [\d.]+ +[\d.e-]+ +(yes|likely|no)$/m)
  })

  it('learns from the others about a workload of the table', async () => {
    const { code, host } = await advice('--workload', 'function-3', '--json')
    expect(code).toBe(0)
    const report = JSON.parse(host.out())
    expect(report.pool).toBeLessThan(24)
    expect(report.forecasts.every(({ isMeasured }: { isMeasured: boolean }) => isMeasured)).toBe(true)
  })

  it('ends with 1 when nothing is fast enough, and says what is fastest', async () => {
    const { code, host } = await advice('--measured', 'mine.csv', '--max-seconds', '0.00001')
    expect(code).toBe(1)
    expect(host.out()).toMatch(/nothing is predicted to take 0\.00001 s or less; the fastest, memory_mb=\d+, takes/)
  })

  it('writes a page with a bar an interval', async () => {
    const { host } = await advice('--measured', 'mine.csv', '--report', 'r.html')
    const page = String(host.files.get('r.html'))
    expect(page.match(/<td class="span"><i /g)).toHaveLength(6)
    expect(page).toContain('Where to run mine')
  })

  it.each([
    [['--workload', 'function-33'], /f\.csv has no workload "function-33"; did you mean function-/],
    [['--measured', 'gone.csv'], /gone\.csv cannot be read: ENOENT/],
    [['--measured', 'two.csv'], /two\.csv has 24 workloads: name one with --workload/],
    [['--measured', 'odd.csv'], /odd\.csv has configurations that f\.csv does not know: memory_mb=192/],
    [['--max-seconds', '3'], /--max-seconds needs a workload to advise on/],
    [['--predictor', 'oracle'], /--predictor must be one of best, gaussian/],
    [['--labels', '1,x'], /--labels must be whole numbers above 0, separated by commas, got "1,x"/],
    [['--runtime-column', 'elapsed'], /there is no column "elapsed"; it has function, memory_mb, duration_ms/],
    [['--report', '/forbidden/r.html'], /--report \/forbidden\/r\.html cannot be written/],
    [['more.csv'], /one table is read, got 2/],
  ])('refuses %j with 2 and a way out', async (argv, message) => {
    const { code, host } = await advice(...argv)
    expect(code).toBe(2)
    expect(host.err()).toMatch(message)
    expect(host.err()).toContain('trimtab rightsize --help')
    expect(host.out()).toBe('')
  })

  it('refuses a table of one workload', async () => {
    const host = hostWith({ 'one.csv': 'memory_mb,duration_ms\n128,400\n256,200\n' })
    expect(await main(['rightsize', 'one.csv'], host)).toBe(2)
    expect(host.err()).toMatch(/one\.csv has one workload; judging needs others to learn from/)
  })
})
