// What containers request: as it is written in statuses, within what an owner allows, and what it makes of a container.
import {
  type AutoscalerStatus,
  type Container,
  type ContainerResources,
  formatCpu,
  formatMemory,
  parseQuantity,
  type ResolvedAutoscalerSpec,
} from '@trimtab/kubernetes'
import { proportionalLimit, type ResourceAmounts } from '@trimtab/tasks/vpa'

/** Requests by container, in whole millicores and MiB-aligned bytes. */
export type Sizes = ReadonlyMap<string, ResourceAmounts>

type Requests = NonNullable<AutoscalerStatus['containers']>

const MIB = 2 ** 20
const AMOUNTS = ['cpuMilli', 'memoryBytes'] as const
type Amount = (typeof AMOUNTS)[number]

const round = (amount: number, of: Amount): number =>
  of === 'cpuMilli' ? Math.ceil(amount) : Math.ceil(amount / MIB) * MIB

/** Each amount by a rule; `undefined` leaves one out, and so a container of which nothing is left. */
function mapped(sizes: Sizes, rule: (amount: number, of: Amount, container: string) => number | undefined): Sizes {
  const next = new Map<string, ResourceAmounts>()
  for (const [container, amounts] of sizes) {
    const kept = AMOUNTS.flatMap((of) => {
      const amount = amounts[of] === undefined ? undefined : rule(amounts[of], of, container)
      return amount === undefined ? [] : [[of, round(amount, of)] as const]
    })
    if (kept.length > 0) next.set(container, Object.fromEntries(kept))
  }
  return next
}

/** Sizes of a status; undefined where it has none. */
export function readSizes(requests: Requests | undefined): Sizes | undefined {
  if (!requests?.length) return undefined
  return new Map(requests.map(({ name, cpu, memory }) => [name, toAmounts({ cpu, memory })]))
}

/** Sizes for a status. */
export const writeSizes = (sizes: Sizes): Requests =>
  [...sizes].map(([name, { cpuMilli, memoryBytes }]) => ({
    name,
    ...(cpuMilli === undefined ? {} : { cpu: formatCpu(cpuMilli / 1000) }),
    ...(memoryBytes === undefined ? {} : { memory: formatMemory(memoryBytes) }),
  }))

/** Quantities as amounts; what is no quantity counts as not said. */
export function toAmounts({
  cpu,
  memory,
}:
  | { readonly cpu?: string | number | undefined; readonly memory?: string | number | undefined }
  | undefined = {}): ResourceAmounts {
  const [cores, bytes] = [numberOf(cpu), numberOf(memory)]
  return {
    ...(cores === undefined ? {} : { cpuMilli: round(Number((cores * 1000).toFixed(6)), 'cpuMilli') }),
    ...(bytes === undefined ? {} : { memoryBytes: Math.ceil(bytes) }),
  }
}

/** Of `sizes`, what `like` has an amount for. */
export const pick = (sizes: Sizes, like: Sizes): Sizes =>
  mapped(sizes, (amount, of, container) => (like.get(container)?.[of] === undefined ? undefined : amount))

/** What its owner lets be steered, between the bounds. */
export function withinBounds(sizes: Sizes, { controlled, bounds }: ResolvedAutoscalerSpec): Sizes {
  const limits = {
    cpuMilli: controlled.includes('cpu')
      ? [parseQuantity(bounds.cpu.min) * 1000, parseQuantity(bounds.cpu.max) * 1000]
      : undefined,
    memoryBytes: controlled.includes('memory')
      ? [parseQuantity(bounds.memory.min), parseQuantity(bounds.memory.max)]
      : undefined,
  }
  return mapped(sizes, (amount, of) => {
    const [min, max] = limits[of] ?? []
    return min === undefined || max === undefined ? undefined : Math.max(min, Math.min(max, amount))
  })
}

/** At most so far below `base`, in percent of it; what has no base goes at once. */
export const withinStep = (sizes: Sizes, base: Sizes, percent: number): Sizes =>
  mapped(sizes, (amount, of, container) => {
    const from = base.get(container)?.[of]
    if (from === undefined) return amount
    return Math.max(from * (1 - percent / 100), amount)
  })

/** The same amounts for the same containers. */
export const isSameSizes = (a: Sizes | undefined, b: Sizes | undefined): boolean =>
  a === b ||
  (a?.size === b?.size &&
    [...(a ?? [])].every(([name, amounts]) => AMOUNTS.every((of) => amounts[of] === b?.get(name)?.[of])))

/**
 * Whether `next` is no better than what was refused, seen from what works: every amount that differed there lies as far out, or farther.
 * Less of any of them is worth another try.
 */
export function isAsFarOut(next: Sizes, refused: Sizes, working: Sizes): boolean {
  return [...refused].every(([container, amounts]) =>
    AMOUNTS.every((of) => {
      const [tried, worked, wanted] = [amounts[of], working.get(container)?.[of], next.get(container)?.[of]]
      if (tried === undefined || worked === undefined || wanted === undefined || tried === worked) return true
      return tried > worked ? wanted >= tried : wanted <= tried
    }),
  )
}

/** The resources of a container that requests these amounts: limits keep their proportion, the rest stays as it is. */
export function resized({ resources = {} }: Container, amounts: ResourceAmounts): ContainerResources {
  const [requests, limits] = [{ ...resources.requests }, { ...resources.limits }]
  const set = (name: 'cpu' | 'memory', of: Amount, format: (amount: number) => string): void => {
    const amount = amounts[of]
    if (amount === undefined) return
    const limit = proportionalLimit(
      { request: toAmounts(resources.requests)[of], limit: toAmounts(resources.limits)[of] },
      amount,
      undefined,
    )
    requests[name] = format(amount)
    if (limit !== undefined) limits[name] = format(limit)
  }
  set('cpu', 'cpuMilli', (milli) => formatCpu(milli / 1000))
  set('memory', 'memoryBytes', formatMemory)
  return { ...resources, requests, ...(Object.keys(limits).length > 0 ? { limits } : {}) }
}

/** For people: `main 250m, 64Mi`. */
export const sayOf = (sizes: Sizes): string =>
  writeSizes(sizes)
    .map(({ name, cpu, memory }) => `${name} ${[cpu, memory].filter(Boolean).join(', ')}`)
    .join('; ')

function numberOf(quantity: string | number | undefined): number | undefined {
  try {
    return quantity === undefined ? undefined : parseQuantity(quantity)
  } catch {
    return undefined // a status that somebody edited, or a template that the server will refuse
  }
}
