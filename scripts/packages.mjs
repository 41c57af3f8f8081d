// The packages that are published: where they lie, what they depend on among themselves, what they promise to hold.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './stamp.mjs'

/** Folders below the repository's root, `packages/core`, … */
export const publishedFolders = () =>
  ['packages', 'adapters']
    .flatMap((group) => readdirSync(join(ROOT, group)).map((name) => `${group}/${name}`))
    .filter((folder) => existsSync(join(ROOT, folder, 'src/index.ts')))

/** The manifest in a folder. */
export const manifestOf = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))

const filesOf = (target) => (typeof target === 'string' ? [target] : Object.values(target).flatMap(filesOf))

/** Files that a manifest names as exports or commands and that are not in its folder. */
export function missingFiles(folder) {
  const { exports, bin = {} } = manifestOf(folder)
  return [...filesOf(exports), ...Object.values(bin)].filter((file) => !existsSync(join(folder, file)))
}

/**
 * Manifests so that each comes after all that it depends on, peers included: whoever installs in the middle of a release finds everything.
 * @throws {Error} when they depend on each other in a circle
 */
export function publishOrder(manifests) {
  const waiting = new Map(manifests.map((manifest) => [manifest.name, manifest]))
  const ordered = []
  while (waiting.size > 0) {
    const ready = [...waiting.values()].filter(({ dependencies, peerDependencies }) =>
      Object.keys({ ...dependencies, ...peerDependencies }).every((name) => !waiting.has(name)),
    )
    if (ready.length === 0) throw new Error(`these depend on each other: ${[...waiting.keys()].join(', ')}`)
    for (const manifest of ready) {
      ordered.push(manifest)
      waiting.delete(manifest.name)
    }
  }
  return ordered
}
