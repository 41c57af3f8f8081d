import { type Core, Random } from '@trimtab/core'
import { type FunctionProfile, generateFunctions, PAPER_FUNCTIONS } from '../function-profile.js'
import {
  type ArrivalLaw,
  type CpuMode,
  INVOKER,
  type InvokerSpec,
  SERVERLESS_DEFAULTS,
  type ServerlessEvent,
  type ServerlessSpec,
} from '../platform-spec.js'
import { drawLoads, type LoadKind } from './arena-loads.js'

/** A kind of platform that controllers are judged on. */
export interface ServerlessArena {
  readonly name: string
  /** What it is like, in words. */
  readonly label: string
  readonly tenants: number
  readonly loads: LoadKind
  /** Share of all cores that the loads ask for on average; without it calls come as often as they do. */
  readonly load01?: number
  readonly invokers: readonly InvokerSpec[]
  readonly coldStartSeconds?: readonly [low: number, high: number]
  readonly cpuMode?: CpuMode
  readonly arrivals?: ArrivalLaw
  readonly stepSeconds?: number
  readonly episodeSteps?: number
  readonly events?: readonly ServerlessEvent[]
}

/** Memory for 20 containers of the paper's functions on 8 cores: with room for more, first fit would put all tenants on one invoker. */
const HOST: InvokerSpec = { ...INVOKER, memoryMiB: 7168 }

/** Two cores a tenant, as in the probe that chose the default. */
const hostsFor = (tenants: number): InvokerSpec[] => [{ ...HOST, count: Math.ceil((2 * tenants) / HOST.cores) }]

/** Busy functions that ask for half of the cores, however many there are. */
export const standardArena = (tenants: number): ServerlessArena => ({
  name: `standard-${tenants}`,
  label: `${tenants} busy functions at half load`,
  ...{ tenants, loads: 'busy', load01: 0.5, invokers: hostsFor(tenants) },
})

const TWELVE = standardArena(12)

/** Fixed before any learner ran: those where knowing the load gains little are controls. */
export const SERVERLESS_ARENAS: readonly ServerlessArena[] = [
  standardArena(5),
  TWELVE,
  standardArena(30),
  standardArena(110),
  {
    ...TWELVE,
    name: 'tight-12',
    label: 'load .55, seven tenths of the memory, cold starts of 5 s',
    load01: 0.55,
    invokers: [{ ...HOST, count: 3, memoryMiB: 0.7 * HOST.memoryMiB }],
    coldStartSeconds: [5, 5],
  },
  {
    ...TWELVE,
    name: 'quota-12',
    label: 'quotas in place of shares',
    cpuMode: 'quota',
  },
  {
    ...TWELVE,
    name: 'slow-start-12',
    label: 'batches of work, cold starts of 30 to 60 s (large images, models to load)',
    loads: 'batches',
    load01: 0.35,
    coldStartSeconds: [30, 60],
    episodeSteps: 120,
  },
  {
    name: 'rare-30',
    label: 'functions called twice an hour to once a minute, memory for half of them, cold starts of 10 to 30 s',
    ...{ tenants: 30, loads: 'rare', arrivals: 'exact', stepSeconds: 60, episodeSteps: 240 },
    invokers: [{ ...HOST, memoryMiB: 6144 }],
    coldStartSeconds: [10, 30],
  },
  {
    ...TWELVE,
    name: 'mixed-invokers-12',
    label: 'invokers of three generations',
    invokers: [
      { ...HOST, speed: 1.3 },
      { ...HOST, speed: 1 },
      { ...HOST, cores: 12, speed: 0.7 },
    ],
  },
  {
    ...TWELVE,
    name: 'churn-12',
    label: 'functions that come and go',
    events: [
      { step: 5, kind: 'leave', tenant: 0 },
      { step: 10, kind: 'join', tenant: 8 },
      { step: 15, kind: 'leave', tenant: 1 },
      { step: 15, kind: 'join', tenant: 9 },
      { step: 20, kind: 'join', tenant: 0 },
      { step: 25, kind: 'leave', tenant: 2 },
      { step: 30, kind: 'join', tenant: 10 },
      { step: 35, kind: 'leave', tenant: 8 },
      { step: 40, kind: 'join', tenant: 11 },
    ],
  },
]

/** What a platform is for: to learn and to tune on, or to judge by. */
export type ArenaPart = 'train' | 'test'

const LOADS_OF_TENANT = 4
const LOAD_STEPS = 3 // times an episode
const STREAM = 313

/**
 * A platform of an arena. Loads of one part are in none of the other, and neither are functions, but for the paper's twelve, which small
 * arenas run in both.
 * @param seed  a whole number from 0 on: another set of loads and functions
 */
export function arenaSpec(core: Core, arena: ServerlessArena, part: ArenaPart, seed: number): ServerlessSpec {
  const own = 2 * seed + (part === 'test' ? 1 : 0) // of this part and seed alone
  const { tenants, loads, load01, invokers, coldStartSeconds, name: _, label: __, ...given } = arena
  const base = { ...SERVERLESS_DEFAULTS, ...given, invokers }
  const window = { stepSeconds: base.stepSeconds, steps: LOAD_STEPS * base.episodeSteps }
  const drawn = drawLoads(core, loads, own, LOADS_OF_TENANT * tenants, window)
  const cores = invokers.reduce((sum, invoker) => sum + invoker.count * invoker.cores * invoker.speed, 0)
  const functions = functionsOf(core, arena, own)
  return {
    ...base,
    functions,
    loads: Object.fromEntries(drawn.map((rates, i) => [`${part}-${seed}-${i}`, rates])),
    tenants: functions.map(({ name }, i) => ({
      functions: [name],
      loads: Array.from({ length: LOADS_OF_TENANT }, (_, k) => `${part}-${seed}-${LOADS_OF_TENANT * i + k}`),
      ...(load01 !== undefined && { meanCores: (load01 * cores) / tenants }),
    })),
  }
}

function functionsOf(core: Core, { tenants, coldStartSeconds }: ServerlessArena, seed: number): FunctionProfile[] {
  const functions =
    tenants <= PAPER_FUNCTIONS.length ? PAPER_FUNCTIONS.slice(0, tenants) : generateFunctions(core, seed, tenants)
  if (!coldStartSeconds) return [...functions]
  const [low, high] = coldStartSeconds
  const random = new Random(core, seed, STREAM)
  const slow = functions.map((one) => ({ ...one, coldStartSeconds: low + (high - low) * random.uniform() }))
  random.dispose()
  return slow
}
