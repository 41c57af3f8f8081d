// Where services stand: callers to the left of whom they call, and near to them.
import type { Call, ServiceGraph } from 'trimtab/tasks/microservices'
import type { PlacedService } from './protocol.js'

const SWEEPS = 8

export interface Layout {
  readonly services: readonly PlacedService[]
  readonly calls: readonly (readonly [number, number])[]
}

export function layoutOf({ services, requests }: ServiceGraph): Layout {
  const numberOf = new Map(services.map(({ name }, i) => [name, i]))
  const calls = callsOf(
    requests.map(({ entry }) => entry),
    numberOf,
  )
  const layer = services.map(() => 0)
  for (let round = 0; round < services.length; round++) {
    for (const [from, to] of calls) layer[to] = Math.max(layer[to]!, Math.min(layer[from]! + 1, services.length))
  }
  const depth = Math.max(...layer)
  const y = services.map((_, i) => i / services.length)
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const wanted = services.map((_, i) => {
      const near = calls.flatMap(([from, to]) => (from === i ? [y[to]!] : to === i ? [y[from]!] : []))
      return near.length > 0 ? near.reduce((sum, one) => sum + one, 0) / near.length : y[i]!
    })
    for (let at = 0; at <= depth; at++) {
      const members = [...services.keys()].filter((i) => layer[i] === at).sort((a, b) => wanted[a]! - wanted[b]!)
      for (const [place, i] of members.entries()) y[i] = (place + 0.5) / members.length
    }
  }
  return { services: services.map(({ name }, i) => ({ name, x: layer[i]! / Math.max(1, depth), y: y[i]! })), calls }
}

function callsOf(entries: readonly Call[], numberOf: ReadonlyMap<string, number>): (readonly [number, number])[] {
  const found = new Map<string, readonly [number, number]>()
  const follow = (call: Call): void => {
    for (const callee of (call.stages ?? []).flat()) {
      const pair = [numberOf.get(call.service)!, numberOf.get(callee.service)!] as const
      if (pair[0] !== pair[1] && !found.has(`${pair[1]} ${pair[0]}`)) found.set(pair.join(' '), pair)
      follow(callee)
    }
  }
  entries.forEach(follow)
  return [...found.values()]
}
