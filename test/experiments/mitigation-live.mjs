// Mitigation of broken SLOs on a real application: the shop's processes under an injector, in alternating blocks: nobody acts, AIMD, FIRM.
// Time and processes are real, so that the figures differ from run to run; the machine must have nothing else to do.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createCore } from '@trimtab/core'
import { ARMS } from './mitigation-live/arms.mjs'
import { Judge } from './mitigation-live/judge.mjs'
import { drawPlan, KINDS } from './mitigation-live/plan.mjs'
import { report } from './mitigation-live/report.mjs'
import { LiveWorld } from './mitigation-live/world.mjs'

/**
 * kinds: of a block, one after the other, each so long and with so long a gap after it; rounds: blocks of each arm; warmUp: while code is
 * compiled, under limits, which says nothing of a healthy run.
 */
export const SCALES = {
  smoke: {
    rounds: 1,
    kinds: ['network-delay', 'cpu'],
    durationSeconds: 4,
    gapSeconds: 2,
    warmUpSeconds: 4,
    calibrationSeconds: 8,
  },
  gate: { rounds: 5, kinds: KINDS, durationSeconds: 9, gapSeconds: 8, warmUpSeconds: 20, calibrationSeconds: 60 },
}
SCALES.paper = { ...SCALES.gate, rounds: 20 }

const LEAD_SECONDS = 2 // before the first anomaly

export async function run(scaleName, progress) {
  const scale = SCALES[scaleName]
  const core = await createCore()
  const folder = mkdtempSync(join(tmpdir(), 'trimtab-mitigation-'))
  const world = await LiveWorld.open({ core, folder })
  try {
    progress(`the shop is open, held by ${world.limiter.name}: ${world.limiter.holds.join(', ')}`)
    const healthy = await world.calibrate(scale)
    progress(`SLOs: ${[...healthy.slosMs].map(([name, ms]) => `${name} ${ms.toFixed(0)} ms`).join(', ')}`)
    const arms = Object.keys(ARMS)
    const blocks = []
    for (let round = 0; round < scale.rounds; round++) {
      const plan = drawPlan(core, { ...scale, leadSeconds: LEAD_SECONDS, seed: round })
      for (let i = 0; i < arms.length; i++) {
        const arm = arms[(i + round) % arms.length]
        const judge = new Judge(healthy.slosMs)
        const setup = { core, healthy, deployed: world.deployed }
        const { ticks, truth } = await world.run({ plan, healthy, seed: round, policy: ARMS[arm].make(setup), judge })
        const record = { arm, round, ...judge.record(plan.struck), ticks, struck: plan.struck, truth }
        blocks.push(record)
        progress(`round ${round + 1} of ${scale.rounds}, ${arm}: ${(100 * record.late).toFixed(1)} % late`)
      }
    }
    const machine = {
      limiter: world.limiter.name,
      holds: world.limiter.holds,
      slosMs: Object.fromEntries(healthy.slosMs),
    }
    return report({ scaleName, scale, machine, blocks })
  } finally {
    await world.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
