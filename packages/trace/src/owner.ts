import type { Edge } from './types.js'

/** Whose time is: a service's, by its work, or that of the way between two. */
export type Owner = { readonly service: string } | Edge

/** `cart`, `front → cart`, `shop → billing (queue)`. */
export function ownerName(owner: Owner): string {
  if ('service' in owner) return owner.service
  return `${owner.caller} → ${owner.callee}${owner.kind === 'queue' ? ' (queue)' : ''}`
}
