import { beforeAll, expect, test } from 'vitest'
import { WhatIf } from '../../src/what-if/index.js'
import { Workflow } from '../../src/workflow/index.js'
import { pathOf, sharedCore, uniforms } from '../some-traces.js'
import { drawProgram, drawRequest, latencyUs, type ProgramOptions, run } from './program.js'

beforeAll(sharedCore)

const SPEED_UPS = [2, 0.5, Number.POSITIVE_INFINITY]
const SERVICES = 6

interface Errors {
  /** Per request: |estimate − truth| / |truth − before|, averaged over requests that change. */
  readonly request: number
  /** Per window: |estimated − true| part of the mean latency saved, the largest and the average one. */
  readonly worstWindow: number
  readonly window: number
  /** True part of the mean latency saved or lost, averaged: what the windows' errors are to be compared with. */
  readonly effect: number
  /** How often the truth lies within the bounds. */
  readonly requestsInside: number
  readonly windowsInside: number
}

/** Runs programs, asks what would be if a service were faster, and runs the same requests again with it really faster. */
function errorsOf(options: Omit<ProgramOptions, 'services'>, knowsWorkflow: boolean): Errors {
  const requestErrors: number[] = []
  const windowErrors: number[] = []
  const effects: number[] = []
  const requestInside: number[] = []
  const windowInside: number[] = []
  for (let seed = 1; seed <= 4; seed++) {
    const uniform = uniforms(seed)
    const program = drawProgram(uniform, { ...options, services: SERVICES })
    const requests = Array.from({ length: 50 }, () => drawRequest(uniform, program))
    const paths = requests.map((request) => pathOf(run(request)))
    const workflow = new Workflow()
    for (const path of paths) workflow.add(path)
    for (const speedUp of SPEED_UPS) {
      for (let s = 0; s < SERVICES; s++) {
        const service = `s${s}`
        const answer = new WhatIf({ service, speedUp }, knowsWorkflow ? { workflow } : {})
        let truth = 0
        for (const [i, path] of paths.entries()) {
          const after = 1000 * latencyUs(run(requests[i]!, (name) => (name === service ? 1 / speedUp : 1)))
          const { estimateNs, optimisticNs, pessimisticNs } = answer.add(path)
          truth += after / paths.length
          if (after === path.latencyNs) continue
          requestErrors.push(Math.abs(estimateNs - after) / Math.abs(after - path.latencyNs))
          requestInside.push(optimisticNs <= after + 1 && after <= pessimisticNs + 1 ? 1 : 0)
        }
        if (answer.changedSpans === 0) continue
        const saved01 = (answer.before.meanNs - truth) / answer.before.meanNs
        const { low, high } = answer.savedInterval01
        windowErrors.push(Math.abs(answer.saved01 - saved01))
        effects.push(Math.abs(saved01))
        windowInside.push(low <= saved01 + 1e-9 && saved01 <= high + 1e-9 ? 1 : 0)
      }
    }
  }
  const mean = (numbers: number[]): number => numbers.reduce((sum, each) => sum + each, 0) / numbers.length
  return {
    request: mean(requestErrors),
    window: mean(windowErrors),
    worstWindow: Math.max(...windowErrors),
    effect: mean(effects),
    requestsInside: mean(requestInside),
    windowsInside: mean(windowInside),
  }
}

test('fork and join is predicted exactly, faster and slower, with and without a workflow', () => {
  for (const knowsWorkflow of [false, true]) {
    const errors = errorsOf({ chain: 1, gap01: 0, repeated01: 0.3 }, knowsWorkflow)
    expect(errors.request).toBeLessThan(1e-9)
    expect(errors.requestsInside).toBe(1)
    expect(errors.effect).toBeGreaterThan(0.08)
  }
})

test('chains of calls side by side are predicted within 1 % of the effect by who knows the workflow, 10 % by who does not', () => {
  const blind = errorsOf({ chain: 2, gap01: 0.1, repeated01: 0 }, false)
  const knowing = errorsOf({ chain: 2, gap01: 0.1, repeated01: 0 }, true)
  expect(knowing.request).toBeLessThan(0.01)
  expect(knowing.worstWindow).toBeLessThan(0.01)
  expect(blind.request).toBeLessThan(0.1)
  for (const errors of [blind, knowing]) expect(errors.windowsInside).toBe(1)
  expect(knowing.requestsInside).toBeGreaterThan(0.99)
})

test('long chains that start by their own clocks, three calls in ten repeated, stay within a tenth of the window effect', () => {
  const errors = errorsOf({ chain: 3, gap01: 1, repeated01: 0.3 }, true)
  expect(errors.window / errors.effect).toBeLessThan(0.1)
  expect(errors.windowsInside).toBe(1)
  expect(errors.requestsInside).toBeGreaterThan(0.95)
})
