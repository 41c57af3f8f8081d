import { type Core, createCore } from '@trimtab/core'
import {
  ClusterSimulator,
  generateApplication,
  type OperatingRecord,
  operate,
  ruleFamilies,
} from '@trimtab/tasks/autoscaling'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  cellFigures,
  type PromiseCell,
  type PromiseCellSpec,
  type PromiseRecord,
  promiseLoad,
  runPromiseCell,
  shortened,
} from '../../src/index.js'

let core: Core
let cell: PromiseCell
const SPEC: PromiseCellSpec = {
  ...{ appSeed: 3, load: 'flash', sloFactor: 2, resize: 'in-place', seeds: [1, 2], days: 0.5 },
}

beforeAll(async () => {
  core = await createCore()
  cell = runPromiseCell(core, SPEC)
})

const recordOf = (record: OperatingRecord): PromiseRecord => {
  const { dollarsPerHour, violationPercent, worstHourPercent, cores, memoryGiB } = record
  return { dollarsPerHour, violationPercent, worstHourPercent, cores, memoryGiB }
}

describe('a cell', () => {
  it('runs every family of rules, the learners and the bounds once a seed', () => {
    const names = [...ruleFamilies('in-place').map(({ name }) => name), 'trimtab', 'margin', 'static', 'oracle']
    expect(cell.trials.map(({ controller, seed }) => `${controller} ${seed}`)).toEqual(
      names.flatMap((name) => [`${name} 1`, `${name} 2`]),
    )
    expect(cell.tuned.map(({ family }) => family)).toEqual(ruleFamilies('in-place').map(({ name }) => name))
  })

  it('is the same to the byte when it runs again, also when it has been sent', () => {
    const again = runPromiseCell(core, structuredClone(SPEC))
    expect(JSON.stringify(again)).toBe(JSON.stringify(cell))
    expect(structuredClone(cell)).toEqual(cell)
  })

  it('lets a rule alone live as `operate` does: the first 70 %, then the rest', () => {
    const application = generateApplication(core, SPEC.appSeed)
    const load = shortened(promiseLoad(core, 'flash', SPEC.appSeed), 0.5)
    const simulator = new ClusterSimulator(core, application, load, { sloFactor: 2 })
    for (const { family, settings } of cell.tuned) {
      const rule = ruleFamilies('in-place')
        .find(({ name }) => name === family)!
        .create(core, simulator.options, settings)
      simulator.reset(0, 2)
      const learning = recordOf(operate(simulator, rule, { steps: 2015 }))
      const judged = recordOf(operate(simulator, rule, { steps: 864 }))
      rule.dispose?.()
      const trial = cell.trials.find(({ controller, seed }) => controller === family && seed === 2)
      expect(trial).toEqual({ controller: family, seed: 2, learning, judged })
    }
    simulator.dispose()
  })

  it('counts the steps that the rule serves in the place of a guarded learner', () => {
    for (const { controller, learning, judged } of cell.trials) {
      for (const { byRulePercent } of [learning, judged]) {
        if (controller === 'trimtab') expect(byRulePercent! >= 0 && byRulePercent! < 50).toBe(true)
        else expect(byRulePercent).toBeUndefined()
      }
    }
    const [byRule] = cellFigures(cell).controllers.flatMap((one) => (one.byRule ? [one.byRule] : []))
    expect(byRule).toHaveLength(2)
  })

  it('has an oracle that is cheaper than everybody else and within the budget', () => {
    const { controllers } = cellFigures(cell)
    const oracle = controllers.find(({ controller }) => controller === 'oracle')!
    expect(oracle.violations.mean).toBeLessThan(1)
    for (const one of controllers) expect(oracle.dollars.mean).toBeLessThanOrEqual(one.dollars.mean)
  })

  it('takes rules that are tuned already, a rule that drives at first, and more load', () => {
    const tuned = cell.tuned.filter(({ family }) => family === cell.strongest)
    const perturbed = (options: Partial<PromiseCellSpec>): PromiseCell =>
      runPromiseCell(core, { ...SPEC, seeds: [2], controllers: ['trimtab'], tuned, ...options })
    const of = ({ trials }: PromiseCell, name: string): PromiseRecord =>
      trials.find(({ controller, seed }) => controller === name && seed === 2)!.judged
    expect(of(perturbed({}), 'trimtab')).toEqual(of(cell, 'trimtab'))
    expect(of(perturbed({ ruleSteps: 400 }), 'trimtab')).not.toEqual(of(cell, 'trimtab'))
    expect(of(perturbed({ ruleSteps: 400 }), cell.strongest)).toEqual(of(cell, cell.strongest))
    expect(of(perturbed({ loadScale: 1.5 }), cell.strongest).cores).toBeGreaterThan(of(cell, cell.strongest).cores)
  })

  it.each(['restart', 'none'] as const)('has no oracle where pods resize by %s', (resize) => {
    const { trials, strongest } = runPromiseCell(core, { ...SPEC, resize, seeds: [1], days: 0.25 })
    expect(trials.some(({ controller }) => controller === 'oracle')).toBe(false)
    expect(ruleFamilies(resize).some(({ name }) => name === strongest)).toBe(true)
  })
})
