import type { HostContainer } from './container-shares.js'

/**
 * Which containers run which action. Docker's are called `wsk0_12_guest_hello` (invoker, a count, namespace, action, each without signs),
 * pods `wskinvoker-00-12-guest-hello` with the label `user-action-pod`; neither says the package.
 *
 * @returns by action; undefined for those that share a name with another one
 */
export function matchContainers<T extends Pick<HostContainer, 'name' | 'labels'>>(
  containers: readonly T[],
  namespace: string,
  actions: readonly string[],
): ReadonlyMap<string, readonly T[] | undefined> {
  const tails = new Map<string, string[]>()
  for (const action of actions) {
    const tail = tailOf(namespace, action)
    tails.set(tail, [...(tails.get(tail) ?? []), action])
  }
  const found = new Map<string, T[] | undefined>()
  for (const [tail, its] of tails) {
    const matching = containers.filter((container) => isOf(container, tail))
    for (const action of its) found.set(action, its.length > 1 ? undefined : matching)
  }
  return found
}

const plain = (text: string): string => text.replace(/[^\p{L}\p{Nd}_]/gu, '')

const tailOf = (namespace: string, action: string): string =>
  `${plain(namespace)}_${plain(action.slice(action.lastIndexOf('/') + 1))}`

function isOf({ name, labels }: Pick<HostContainer, 'name' | 'labels'>, tail: string): boolean {
  if (labels['user-action-pod'] === 'true') return headOf(name, `-${podTailOf(tail)}`)?.match(/^wsk.*-\d+$/) != null
  return headOf(name.replace(/^\//, ''), `_${tail}`)?.match(/^wsk[\p{L}\p{Nd}]*_\d+$/u) != null
}

/** Pods are called in small letters, with dashes. */
const podTailOf = (tail: string): string => tail.replaceAll('_', '-').toLowerCase().replace(/-+$/, '')

const headOf = (name: string, tail: string): string | undefined =>
  name.endsWith(tail) ? name.slice(0, -tail.length) : undefined
