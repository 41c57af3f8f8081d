// CPU (cores) and memory (bytes): what pods request, and what nodes offer.
import { parseQuantity } from '../../src/quantity.js'
import { asPod, type Stored } from './objects.js'

export type Amounts = { cpu: number; memory: number }

export const fits = (wanted: Amounts, free: Amounts): boolean => wanted.cpu <= free.cpu && wanted.memory <= free.memory

export const amounts = ({ cpu = '0', memory = '0' }: Readonly<Record<string, string>> = {}): Amounts => ({
  cpu: parseQuantity(cpu),
  memory: parseQuantity(memory),
})

export const allocatable = (node: Stored): Amounts =>
  amounts((node.status as { allocatable?: Record<string, string> } | undefined)?.allocatable)

export function totalOf(pod: Stored): Amounts {
  const each = (asPod(pod).spec?.containers ?? []).map(({ resources = {} }) => amounts(resources.requests))
  return { cpu: each.reduce((sum, { cpu }) => sum + cpu, 0), memory: each.reduce((sum, { memory }) => sum + memory, 0) }
}
