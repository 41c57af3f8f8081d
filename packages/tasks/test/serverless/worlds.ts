// Small platforms that serverless tests share.
import { type Core, Random } from '@trimtab/core'
import {
  type FunctionProfile,
  INVOKER,
  PAPER_FUNCTIONS,
  SERVERLESS_DEFAULTS,
  type ServerlessPlatform,
  type ServerlessSpec,
  type TenantAllocation,
} from '../../src/serverless/index.js'

export const paperFunction = (name: string): FunctionProfile => PAPER_FUNCTIONS.find((one) => one.name === name)!

/** One tenant for each function, each under a steady load that asks for so many cores. */
export function steadySpec(
  functions: readonly FunctionProfile[],
  meanCores: number,
  options: Partial<ServerlessSpec> = {},
): ServerlessSpec {
  return {
    ...SERVERLESS_DEFAULTS,
    functions,
    loads: { steady: new Array<number>(200).fill(1) },
    tenants: functions.map(({ name }) => ({ functions: [name], loads: ['steady'], meanCores })),
    invokers: [INVOKER],
    ...options,
  }
}

/** A platform that is never quiet: every function of the paper on as many tenants, loads that jump, churn and lost invokers. */
export function busySpec(
  core: Core,
  seed: number,
  tenants: number,
  options: Partial<ServerlessSpec> = {},
): ServerlessSpec {
  const random = new Random(core, seed)
  const jumps = (): number[] => {
    let level = 1
    return Array.from({ length: 120 }, () => {
      if (random.uniform() < 0.1) level = random.uniform() < 0.3 ? 0 : core.math.exp(random.normal())
      return level
    })
  }
  const spec: ServerlessSpec = {
    ...SERVERLESS_DEFAULTS,
    functions: PAPER_FUNCTIONS,
    loads: Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`jumps-${i}`, jumps()])),
    tenants: Array.from({ length: tenants }, () => ({
      functions: PAPER_FUNCTIONS.map(({ name }) => name),
      loads: Array.from({ length: 8 }, (_, i) => `jumps-${i}`),
      meanCores: 1,
    })),
    invokers: [{ ...INVOKER, count: Math.max(2, Math.ceil(tenants / 4)) }],
    events: [
      { step: 5, kind: 'leave', tenant: 0 },
      { step: 9, kind: 'invoker-loss', invoker: 0 },
      { step: 12, kind: 'join', tenant: 1 },
      { step: 15, kind: 'invoker-return', invoker: 0 },
      { step: 20, kind: 'join', tenant: 0 },
    ],
    ...options,
  }
  random.dispose()
  return spec
}

/** The same for every tenant. */
export const sameForAll = (platform: ServerlessPlatform, allocation: TenantAllocation): TenantAllocation[] =>
  platform.spec.tenants.map(() => ({ ...allocation }))

/** Anything within the bounds, another for each tenant. */
export const anything = (platform: ServerlessPlatform, random: Random): TenantAllocation[] =>
  platform.spec.tenants.map(() => ({
    containers: random.integer(1 + platform.spec.bounds.containers[1]),
    shares: 128 + random.integer(1921),
    keepAliveSeconds: [0, 10, 60, 600][random.integer(4)]!,
  }))
