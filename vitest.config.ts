import { configDefaults, defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const TESTS = ['packages/*/test/**/*.test.ts', 'adapters/*/test/**/*.test.ts', 'test/**/*.test.ts']

/** What has the machine to itself: it counts pictures, shares of processors or moments, or has so much time and no more. */
const ALONE = [
  'adapters/{gateway,linux,local,nats,nvml}/test/**/*.test.ts',
  'packages/cli/test/{live-command,streams}.test.ts',
  'packages/core/test/webgpu/**/*.test.ts',
  'test/{browser,fuzz}/**/*.test.ts',
  'test/shop.test.ts',
]

/** What takes minutes begins first, so that the others run meanwhile and nothing is waited for at the end. */
const LONG = /operator\/test\/scrape|cli\/test\/(kills|endless)|toys\.test|test\/(site\/site|examples)\.test/

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLater = ({ moduleId }: TestSpecification): number => Number(!LONG.test(moduleId))
    return (await super.sort(files)).sort((a, b) => isLater(a) - isLater(b))
  }
}

// Tests run against the sources of every package (condition `@trimtab/source`) and the wasm that `npm test` has built.
export default defineConfig({
  resolve: { conditions: ['@trimtab/source'] },
  ssr: { resolve: { conditions: ['@trimtab/source'] } },
  test: {
    sequence: { sequencer: LongFirst },
    testTimeout: 60_000,
    hookTimeout: 180_000, // packing, installing and building come first in some
    expect: { poll: { timeout: 30_000, interval: 20 } }, // a busy machine is slow, not wrong
    setupFiles: ['test/setup.mjs'],
    projects: [
      {
        extends: true,
        test: { name: 'two at a time', include: TESTS, exclude: [...configDefaults.exclude, ...ALONE], maxWorkers: 2 },
      },
      { extends: true, test: { name: 'alone', include: ALONE, maxWorkers: 1, sequence: { groupOrder: 1 } } },
    ],
  },
})
