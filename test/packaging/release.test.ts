import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { manifestOf, publishedFolders, publishOrder } from '../../scripts/packages.mjs'
import { reasonsAgainst } from '../../scripts/release.mjs'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

interface Manifest {
  readonly name: string
  readonly version: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

/** A release that nothing speaks against. */
const READY = {
  changed: [],
  outOfStep: [],
  missing: [],
  repository: 'https://example.test/owner/name',
  version: '1.2.0',
  changelog: '# Changelog\n\n## Unreleased\n\n## 1.2.0\n',
}

describe('a release', () => {
  it('goes on where nothing speaks against it', () => {
    expect(reasonsAgainst(READY)).toEqual([])
  })

  it.each([
    [{ changed: ['README.md'] }, /not clean: .*README\.md/],
    [{ outOfStep: ['packages/learn: version is not "1.2.0"'] }, /packages\/learn: version/],
    [{ missing: ['packages/core/dist/index.d.ts'] }, /index\.d\.ts is missing: npm run build/],
    [{ repository: '' }, /address of the repository/],
    [{ changelog: '## Unreleased\n\n## 1.1.0\n' }, /no section 1\.2\.0/],
  ])('is refused for %o', (wrong, reason) => {
    expect(reasonsAgainst({ ...READY, ...wrong })).toEqual([expect.stringMatching(reason)])
  })

  it('names every reason at once', () => {
    expect(reasonsAgainst({ ...READY, changed: ['a'], repository: '', changelog: '' })).toHaveLength(3)
  })

  it('publishes what others need before them, each once', () => {
    const manifests: Manifest[] = publishedFolders().map((folder) => manifestOf(ROOT + folder))
    const ordered: Manifest[] = publishOrder(manifests)
    expect(ordered.map(({ name }) => name).sort()).toEqual(manifests.map(({ name }) => name).sort())
    const there = new Set<string>()
    for (const { name, dependencies, peerDependencies } of ordered) {
      const ours = Object.keys({ ...dependencies, ...peerDependencies }).filter((one) => one.startsWith('@trimtab/'))
      expect(ours.filter((one) => !there.has(one))).toEqual([])
      there.add(name)
    }
  })

  it('has no order where packages depend on each other', () => {
    const circle = [
      { name: 'a', dependencies: { b: '1' } },
      { name: 'b', peerDependencies: { a: '1' } },
    ]
    expect(() => publishOrder(circle)).toThrow('these depend on each other: a, b')
  })

  it('asks npm about every package, in that order, and publishes none by --dry-run', async () => {
    const env = { ...process.env, npm_config_offline: 'true' } // what the registry has is no matter here
    const { stdout } = await promisify(execFile)(process.execPath, [`${ROOT}scripts/release.mjs`, '--dry-run'], {
      env,
    }).catch(
      (refused: { readonly stdout: string }) => refused, // a tree with changes, say: it is told, and the run goes on
    )
    const names = [...stdout.matchAll(/^ *\d+ of \d+ {2}(\S+)@\S+ {2}[1-9]\d* kB, \d+ files$/gm)].map(
      ([, name]) => name,
    )
    expect(names).toEqual(
      publishOrder(publishedFolders().map((folder) => manifestOf(ROOT + folder))).map(({ name }) => name),
    )
    expect(stdout).toMatch(/nothing was published: --dry-run$/m)
  }, 300_000)
})
