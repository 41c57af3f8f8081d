import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { createCore } from '@trimtab/core'
import { type ArenaComparison, type JudgedRule, runTenantsCell, type TenantsPlan } from '@trimtab/studies'
import type { PlatformRecord } from '@trimtab/tasks/serverless'
import { describe, expect, it } from 'vitest'
import { createTenants } from '../src/commands/tenants.js'
import { main } from '../src/main.js'
import type { runTenants } from '../src/workers.js'
import { createFakeHost } from './fake-host.js'

const recordOf = (score: number): PlatformRecord => ({
  ...{ score, reward: score, violation01: 0.125, worstViolation01: 0.5, p99OverSlo: 1, p95P99OverSlo: 1 },
  ...{ shares: 128, containers: 1, coldStartsPerHour: 0, memoryMiB: 256 },
})
const ruleOf = (label: string, score: number, knowsLoad = false): JudgedRule => ({
  ...{ name: label, label, knowsLoad, trainScore: score, settings: {}, validation: [], records: [recordOf(score)] },
})

/** What a study finds whose learner comes to `score` beside a rule of .8. */
const found = (plan: TenantsPlan, score: number): ArenaComparison[] =>
  Object.entries(plan.arenas).map(([name, { variants, episodes }]) => {
    const [best, clairvoyant] = [ruleOf('a rule', 0.8), ruleOf('a seer', 0.85, true)]
    return {
      rules: { name, label: 'a platform', tenants: 5, rules: [ruleOf('another', 0.7), best, clairvoyant] },
      episodes,
      headroom: { best, clairvoyant, gains: [0.05], headroom: 0.05 },
      ...(variants.includes('corrected') && {
        choices: plan.seeds.map(() => ({ chosen: 'corrected' as const, judged: recordOf(score) })),
      }),
      variants: variants.map((variant) => ({
        ...{ name: variant, label: `learner ${variant}` },
        cells: plan.seeds.map((seed) => ({
          ...{ judged: recordOf(score), learning: [], keptEpisodes: 0 },
          spec: { arena: name, variant, seed, rule: { family: 'demand', settings: {} }, episodes: 1, ...EPISODES },
        })),
      })),
    }
  })
const EPISODES = { imitationEpisodes: 1, judgedEpisodes: 1 }

async function call(argv: readonly string[], score: number) {
  const plans: { readonly plan: TenantsPlan; readonly workers: number }[] = []
  const run: typeof runTenants = async (plan, workers) => {
    plans.push({ plan, workers })
    return found(plan, score)
  }
  const host = createFakeHost()
  const code = await createTenants(run).execute(argv, host)
  return { code, out: host.out(), ...plans[0]! }
}

describe('trimtab tenants', () => {
  it('compares what it is told, and shows each arena with its room, rules and variants', async () => {
    const argv = ['--arena', 'standard-5,rare-30', '--variants', 'simppo-full,corrected', '--seeds', '2']
    const { code, out, plan, workers } = await call([...argv, '--episodes', '7', '--workers', '3'], 0.82)
    expect(plan).toMatchObject({
      arenas: { 'standard-5': { variants: ['simppo-full', 'corrected'], episodes: 7 }, 'rare-30': { episodes: 7 } },
      seeds: [0, 1],
    })
    expect([code, workers]).toEqual([0, 3])
    expect(out).toMatch(/standard-5: a platform\nBest rule: a rule\. Knowing the load gains 0\.050\./)
    expect(out).toMatch(/a rule +0\.800 ± 0\.000 +– +0\.800 +12\.5 +50 /)
    expect(out).toMatch(/another +0\.700 ± 0\.000 +−0\.100/)
    expect(out).toMatch(/a seer +0\.850 ± 0\.000 +\+0\.050/)
    expect(out).toMatch(/learner corrected +0\.820 ± 0\.000 +\+0\.020/)
    expect(out).toMatch(/default \(corrected 2\) +0\.820 ± 0\.000 +\+0\.020/)
    expect(out).toContain('rare-30: a platform')
  })

  it('ends with 1 where the default earns notably less than the best rule, not where another variant does', async () => {
    expect((await call([], 0.79)).code).toBe(1)
    expect((await call(['--variants', 'simppo-full'], 0.79)).code).toBe(0)
    expect((await call([], 0.796)).code).toBe(0)
  })

  it('refuses names that are none, and says which there are', async () => {
    const host = createFakeHost()
    expect(await main(['tenants', '--arena', 'standard-6', '--variants', 'prized'], host)).toBe(2)
    expect(host.err()).toMatch(/"standard-6" is no arena: .*slow-start-12.*\n?.*"prized" is no variant: .*simppo-full/)
  })

  it('as it is built gives the numbers of the study', async () => {
    const bin = fileURLToPath(new URL('../dist/bin.js', import.meta.url))
    const argv = ['tenants', '--arena', 'standard-5', '--seeds', '1', '--episodes', '1', '--json', '--workers', '2']
    const { stdout } = spawnSync(process.execPath, [bin, ...argv], { encoding: 'utf8' })
    const [{ rules, variants }]: [ArenaComparison] = JSON.parse(stdout)
    expect(rules.rules.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['demand', 'histogram', 'ensure-foresight']),
    )
    const [cell] = variants[0]!.cells
    expect(cell!.spec).toMatchObject({ arena: 'standard-5', variant: 'corrected', seed: 0, episodes: 1 })
    expect(cell).toEqual(runTenantsCell(await createCore(), cell!.spec))
  }, 300_000)
})
