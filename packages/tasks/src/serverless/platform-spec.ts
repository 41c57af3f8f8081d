import { Problems } from '@trimtab/core'
import { FUNCTION_CATEGORIES, type FunctionProfile } from './function-profile.js'

/** A tenant: one function and its load. Of several functions or loads, each episode's seed draws one. */
export interface TenantSpec {
  /** Names of the spec's functions. */
  readonly functions: readonly string[]
  /** Names of the spec's loads. */
  readonly loads: readonly string[]
  /** Scales the load until it asks for so many cores of the function on average; without it, loads are requests per second. */
  readonly meanCores?: number
}

/** Invokers of one kind. */
export interface InvokerSpec {
  readonly count: number
  readonly cores: number
  readonly memoryMiB: number
  /** Work that a core does in a second, in seconds of `FunctionProfile`. */
  readonly speed: number
  /** Requests in I/O at once that use its I/O in full. */
  readonly ioStreams: number
}

/** Something that happens at the start of a step. Step 0 comes before the first decision. Invokers are counted through their kinds. */
export type ServerlessEvent =
  | { readonly step: number; readonly kind: 'join' | 'leave'; readonly tenant: number }
  | { readonly step: number; readonly kind: 'invoker-loss' | 'invoker-return'; readonly invoker: number }
const EVENT_KINDS: readonly ServerlessEvent['kind'][] = ['join', 'leave', 'invoker-loss', 'invoker-return']

/** `shares`: work-conserving weights, as cpu.shares. `quota`: a container never gets more than shares / 1,024 cores. */
export type CpuMode = 'shares' | 'quota'
/** All that there are. */
export const CPU_MODES: readonly CpuMode[] = ['shares', 'quota']

/** `poisson`: loads are means that requests come around by chance. `exact`: they are what comes, rounded to whole requests a step. */
export type ArrivalLaw = 'poisson' | 'exact'
/** All that there are. */
export const ARRIVAL_LAWS: readonly ArrivalLaw[] = ['poisson', 'exact']

/** A serverless platform and its tenants. Plain JSON: a world follows from it and a seed. */
export interface ServerlessSpec {
  readonly functions: readonly FunctionProfile[]
  /** Arrivals, one number a step: an episode is a stretch of 1 + `episodeSteps`. Requests per second unless a tenant scales them. */
  readonly loads: Readonly<Record<string, readonly number[]>>
  readonly tenants: readonly TenantSpec[]
  readonly invokers: readonly InvokerSpec[]
  /** A tenant whose first event is `join` is not there before it; what is not named is there all the time. In the order of steps. */
  readonly events: readonly ServerlessEvent[]
  readonly stepSeconds: number
  readonly episodeSteps: number
  readonly cpuMode: CpuMode
  readonly arrivals: ArrivalLaw
  /** What an allocation may be, whatever is asked. */
  readonly bounds: {
    readonly shares: readonly [low: number, high: number]
    readonly containers: readonly [low: number, high: number]
  }
  /** SLO as a multiple of the isolated p99; 1.15 is the paper's. */
  readonly sloFactor: number
  /** Requests are given up after waiting so long. */
  readonly timeoutSeconds: number
}

/** What an invoker of the paper's larger cluster is (4.4): 8 cores, 16 GiB. */
export const INVOKER: InvokerSpec = { count: 1, cores: 8, memoryMiB: 16_384, speed: 1, ioStreams: 16 }

/** What a spec says unless told otherwise: spread it, then add functions, loads, tenants and invokers. */
export const SERVERLESS_DEFAULTS: Omit<ServerlessSpec, 'functions' | 'loads' | 'tenants' | 'invokers'> = {
  events: [],
  stepSeconds: 10,
  episodeSteps: 50, // table 4.2
  cpuMode: 'shares',
  arrivals: 'poisson',
  bounds: { shares: [128, 2048], containers: [0, 20] },
  sloFactor: 1.15,
  timeoutSeconds: 60,
}

const SPEC_KEYS = [...Object.keys(SERVERLESS_DEFAULTS), 'functions', 'loads', 'tenants', 'invokers']
const MOST = 1e9 // of any quantity

/** @throws {ConfigError} `config_invalid` with every problem, each with its path */
export function checkServerlessSpec(spec: ServerlessSpec): void {
  const problems = new Problems()
  problems.checkKeys(spec ?? {}, SPEC_KEYS, 'spec')
  const { stepSeconds, episodeSteps, cpuMode, arrivals, bounds, sloFactor, timeoutSeconds } = spec ?? {}
  checkNumber(problems, 'stepSeconds', stepSeconds, 1e-3)
  checkWhole(problems, 'episodeSteps', episodeSteps, 1)
  checkNumber(problems, 'sloFactor', sloFactor, 1e-3)
  checkNumber(problems, 'timeoutSeconds', timeoutSeconds, 1e-3)
  problems.check(CPU_MODES.includes(cpuMode), `cpuMode must be one of ${CPU_MODES.join(', ')}, got ${String(cpuMode)}`)
  problems.check(
    ARRIVAL_LAWS.includes(arrivals),
    `arrivals must be one of ${ARRIVAL_LAWS.join(', ')}, got ${String(arrivals)}`,
  )
  checkRange(problems, 'bounds.shares', bounds?.shares, 1)
  checkRange(problems, 'bounds.containers', bounds?.containers, 0)
  const [fewest, most] = bounds?.containers ?? []
  problems.check(
    Number.isInteger(fewest) && Number.isInteger(most) && most >= 1,
    `bounds.containers must be whole numbers, the high one at least 1, got ${bounds?.containers}`,
  )
  const functions = listOf(problems, 'functions', spec?.functions)
  for (const [i, one] of functions.entries()) checkFunction(problems, `functions[${i}]`, one)
  const names = new Set(functions.map((one) => one?.name))
  problems.check(names.size === functions.length, 'functions must each have a name of their own')
  checkLoads(problems, spec?.loads, episodeSteps)
  const tenants = listOf(problems, 'tenants', spec?.tenants)
  for (const [i, { functions, loads, meanCores }] of tenants.entries()) {
    const path = `tenants[${i}]`
    for (const name of listOf(problems, `${path}.functions`, functions))
      problems.check(names.has(name), `${path}.functions: ${name} is none of the spec's functions`)
    for (const name of listOf(problems, `${path}.loads`, loads))
      problems.check(Object.hasOwn(spec?.loads ?? {}, name), `${path}.loads: ${name} is none of the spec's loads`)
    if (meanCores !== undefined) checkNumber(problems, `${path}.meanCores`, meanCores, 0)
  }
  const invokers = listOf(problems, 'invokers', spec?.invokers)
  for (const [i, { count, cores, memoryMiB, speed, ioStreams }] of invokers.entries()) {
    checkWhole(problems, `invokers[${i}].count`, count, 1)
    checkNumber(problems, `invokers[${i}].cores`, cores, 1)
    checkNumber(problems, `invokers[${i}].memoryMiB`, memoryMiB, 1)
    checkNumber(problems, `invokers[${i}].speed`, speed, 1e-3)
    checkNumber(problems, `invokers[${i}].ioStreams`, ioStreams, 1e-3)
  }
  const invokerCount = invokers.reduce((sum, { count }) => sum + count, 0)
  checkEvents(problems, spec?.events, tenants.length, invokerCount)
  problems.throwIfAny('serverless spec')
}

function checkFunction(problems: Problems, path: string, one: FunctionProfile): void {
  problems.check(typeof one?.name === 'string' && one.name !== '', `${path}.name must be text, got ${one?.name}`)
  problems.check(
    FUNCTION_CATEGORIES.includes(one?.category),
    `${path}.category must be one of ${FUNCTION_CATEGORIES.join(', ')}, got ${String(one?.category)}`,
  )
  checkNumber(problems, `${path}.workSeconds`, one?.workSeconds, 1e-6)
  checkNumber(problems, `${path}.workScv`, one?.workScv, 1e-3, 4)
  checkNumber(problems, `${path}.ioSeconds`, one?.ioSeconds, 0)
  checkWhole(problems, `${path}.memoryMiB`, one?.memoryMiB, 1) // sums that are exact in any order
  checkNumber(problems, `${path}.idleMemoryMiB`, one?.idleMemoryMiB, 0, one?.memoryMiB)
  checkNumber(problems, `${path}.memorySensitivity`, one?.memorySensitivity, 0)
  checkNumber(problems, `${path}.ioSensitivity`, one?.ioSensitivity, 0)
  checkNumber(problems, `${path}.coldStartSeconds`, one?.coldStartSeconds, 0)
}

function checkLoads(problems: Problems, loads: ServerlessSpec['loads'], episodeSteps: number): void {
  const entries = Object.entries(loads ?? {})
  problems.check(entries.length > 0, 'loads must name at least one')
  for (const [name, rates] of entries) {
    problems.check(
      Array.isArray(rates) && rates.length > episodeSteps,
      `loads.${name} must have more than episodeSteps (${episodeSteps}) numbers, got ${rates?.length}`,
    )
    const invalid = Array.isArray(rates) ? rates.findIndex((rate) => !(rate >= 0 && rate <= MOST)) : -1
    problems.check(invalid < 0, `loads.${name}[${invalid}] must lie in [0, ${MOST}], got ${rates?.[invalid]}`)
  }
}

function checkEvents(problems: Problems, events: ServerlessSpec['events'], tenants: number, invokers: number): void {
  problems.check(Array.isArray(events), `events must be a list, got ${events}`)
  let before = 0
  for (const [i, event] of Array.isArray(events) ? events.entries() : []) {
    checkWhole(problems, `events[${i}].step`, event?.step, before)
    before = event?.step
    switch (event?.kind) {
      case 'join':
      case 'leave':
        checkWhole(problems, `events[${i}].tenant`, event.tenant, 0, tenants - 1)
        break
      case 'invoker-loss':
      case 'invoker-return':
        checkWhole(problems, `events[${i}].invoker`, event.invoker, 0, invokers - 1)
        break
      default:
        problems.check(
          false,
          `events[${i}].kind must be one of ${EVENT_KINDS.join(', ')}, got ${JSON.stringify(event)}`,
        )
    }
  }
}

/** The list, or none where it is no list of at least one. */
function listOf<T>(problems: Problems, path: string, list: readonly T[] | undefined): readonly T[] {
  const isList = Array.isArray(list) && list.length > 0 && list.every((one) => one !== undefined && one !== null)
  problems.check(isList, `${path} must be a list of at least one, got ${String(list)}`)
  return isList ? (list as readonly T[]) : []
}

function checkNumber(problems: Problems, path: string, value: number, low: number, high: number = MOST): void {
  problems.check(value >= low && value <= high, `${path} must lie in [${low}, ${high}], got ${value}`)
}

function checkWhole(problems: Problems, path: string, value: number, low: number, high: number = MOST): void {
  const isWithin = Number.isSafeInteger(value) && value >= low && value <= high
  problems.check(isWithin, `${path} must be a whole number in [${low}, ${high}], got ${value}`)
}

function checkRange(problems: Problems, path: string, range: readonly [number, number], least: number): void {
  const [low, high] = range ?? []
  const holds = low >= least && low <= high && high <= MOST
  problems.check(holds, `${path} must be low … high with ${least} <= low <= high, got ${low} … ${high}`)
}
