// The whole operator beside a real Prometheus, for simulated hours: the cluster is the stand-in, the application is simulated.
import { createCore } from '@trimtab/core'
import { ClusterSimulator, HpaVpaRule, operate } from '@trimtab/tasks/autoscaling'
import { afterEach, describe, expect, it } from 'vitest'
import { temporaryFile } from '../../kubernetes/test/opened.js'
import { findTool, runTool } from '../../kubernetes/test/tools.js'
import { HAS_PROMETHEUS, RealPrometheus, sayUnchecked } from '../../prometheus/test/real-prometheus.js'
import { EVENTS } from './cluster.js'
import { SimulatedCluster, STEP_SECONDS, STEPS_PER_HOUR } from './simulation/simulated-cluster.js'

const HOURS = { recommend: 1, act: 3 }
const SEED = 31
const FROM_SECOND = 6 * 3600
const TARGET_PERCENT = 50
const BUDGET_PERCENT = 0.5 // of errors, the default

const core = await createCore()
const opened: (() => unknown)[] = []
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close()
})

async function openSimulatedCluster(): Promise<SimulatedCluster> {
  const prometheus = await RealPrometheus.start()
  opened.push(() => prometheus.stop())
  const spec = {
    rule: { cpuUtilisationPercent: TARGET_PERCENT },
    bounds: { replicas: { min: 1, max: 20 }, cpu: { min: '125m', max: '4' }, memory: { min: '128Mi', max: '3Gi' } },
  }
  const hours = HOURS.recommend + HOURS.act
  const simulated = await SimulatedCluster.open({ core, prometheus, seed: SEED, second: FROM_SECOND, hours, spec })
  opened.push(() => simulated.dispose())
  return simulated
}

/** The same hours under HPA and VPA alone, in the simulator. */
function ruleAlone({ service: { simulator } }: SimulatedCluster) {
  const alone = new ClusterSimulator(core, simulator.application, simulator.series, {})
  alone.reset(FROM_SECOND, SEED)
  const { bounds, resize } = alone.options
  const rule = new HpaVpaRule(
    core,
    { bounds, resize, stepSeconds: STEP_SECONDS },
    { podCores: 1, targetPercent: TARGET_PERCENT },
  )
  operate(alone, rule, { steps: HOURS.recommend * STEPS_PER_HOUR })
  return operate(alone, rule, { steps: HOURS.act * STEPS_PER_HOUR })
}

if (!HAS_PROMETHEUS) sayUnchecked('the operator, for simulated hours')
describe.skipIf(!HAS_PROMETHEUS)('the operator beside a real Prometheus', { timeout: 300_000 }, () => {
  const kubectl = findTool('kubectl', 'what the operator did, read by kubectl')

  it('recommends for an hour and changes nothing; then acts for three, within the error budget and cheaper than the rule', async () => {
    const simulated = await openSimulatedCluster()
    const before = simulated.writes().length
    await simulated.run(HOURS.recommend * STEPS_PER_HOUR)
    const written = new Set(simulated.writes().slice(before))
    expect([...written].filter((write) => !/ (events|multidimpodautoscalers\/status|configmaps)$/.test(write))).toEqual(
      [],
    )
    const { status } = await simulated.autoscaler()
    expect(status).toMatchObject({ stage: 'offline', replicas: { wanted: expect.any(Number) } })
    expect(status?.summary?.saving).toMatch(/USD\/h/)

    await simulated.act()
    const { dollarsPerHour, violationPercent } = await simulated.run(HOURS.act * STEPS_PER_HOUR)
    const rule = ruleAlone(simulated)
    console.info(
      `acting: ${dollarsPerHour.toFixed(4)} USD/h, SLO broken in ${violationPercent.toFixed(2)} % of steps;` +
        ` HPA and VPA alone: ${rule.dollarsPerHour.toFixed(4)} USD/h, ${rule.violationPercent.toFixed(2)} %`,
    )
    expect(violationPercent).toBeLessThanOrEqual(Math.max(rule.violationPercent, BUDGET_PERCENT) + 0.1)
    expect(dollarsPerHour).toBeLessThan(0.95 * rule.dollarsPerHour)
    const changes = new Set(simulated.writes())
    expect(changes).toContain('patch deployments/scale')
    expect(changes).toContain('patch pods/resize')

    const { items } = await simulated.cluster.client.list(EVENTS)
    const reasons = new Set(items.map(({ reason }) => reason))
    for (const reason of ['Following', 'Scaled', 'Resized']) expect(reasons).toContain(reason)
    if (kubectl !== undefined) {
      const config = await temporaryFile(simulated.cluster.standIn.kubeconfig())
      const run = (...args: string[]) => runTool(kubectl, args, { env: { KUBECONFIG: config, HOME: '/nonexistent' } })
      expect(await run('get', 'mdpa', 'web')).toMatch(/web +act +\d+ +\d+ +p99 \d+ ms, at most \d+ ms .*USD\/h/)
      const described = await run('describe', 'mdpa', 'web')
      for (const reason of reasons) expect(described).toContain(reason)
    }
  })
})
