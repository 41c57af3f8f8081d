import { availableParallelism } from 'node:os'
import type { ArenaComparison, TenantsPlan, TenantVariantName } from '@trimtab/studies'
import { type Command, defineCommand, EXIT } from '../command.js'
import { numberOption, type Option, switchOption } from '../options.js'
import { createProgress } from '../progress.js'
import { earnsLess, formatArenas } from '../tenants/format.js'
import { createPaint } from '../terminal.js'
import type { runTenants } from '../workers.js'

const namesIn = (text: string): readonly string[] => [...new Set(text.split(',').map((name) => name.trim()))]

const namesOption = (help: string, fallback: string): Option<readonly string[]> => ({
  value: 'A,B',
  help,
  fallback: namesIn(fallback),
  shown: fallback,
  read: (text) => ({ value: namesIn(text) }),
})

const options = {
  arena: namesOption('platforms: standard-5, slow-start-12, rare-30, …', 'standard-12'),
  variants: namesOption(
    'what learns: simppo-full, cpq-rl, …; the default is one of these two, or the rule',
    'corrected,priced',
  ),
  seeds: numberOption('runs of everything', 3, { min: 1, max: 50 }),
  episodes: numberOption('learning episodes', 150, { min: 1, max: 10_000 }),
  workers: numberOption('worker threads', availableParallelism(), { min: 1, max: 256 }),
  json: switchOption('print all numbers as JSON instead of the tables'),
}

/** What is not asked for, as in docs/results/tenants.md. */
const SETTING = { trainEpisodes: 2, judgedEpisodes: 8, imitationEpisodes: 30 } as const

/** @param run  does the work; tests hand in their own */
export const createTenants = (run: typeof runTenants): Command =>
  defineCommand({
    name: 'tenants',
    summary: 'Compare SIMPPO’s variants with tuned rules: many functions on one platform',
    options,
    examples: [
      ['trimtab tenants --arena slow-start-12', 'where knowing the load gains something'],
      [
        'trimtab tenants --variants simppo-full,simppo-compact,corrected,priced --episodes 600',
        'as the paper has it, and the default',
      ],
    ],
    exits:
      'A name that is none is answered by all there are.\nExit: 0 done, 1 the default is more than .005 of J behind the best rule, 2 the call is bad.',
    async run({ arena, variants, seeds, episodes, workers, json }, host) {
      const progress = createProgress(host, 'runs')
      try {
        const plan: TenantsPlan = {
          arenas: Object.fromEntries(
            arena.map((name) => [name, { variants: variants as readonly TenantVariantName[], episodes }]),
          ),
          seeds: Array.from({ length: seeds }, (_, seed) => seed),
          ...SETTING,
        }
        const found: readonly ArenaComparison[] = await run(plan, workers, {
          onProgress: progress.update,
          signal: host.signal,
        })
        progress.finish()
        const paint = createPaint(host.stdout, host.env)
        host.stdout.write(json ? `${JSON.stringify(found)}\n` : formatArenas(found, plan, paint))
        return found.some(earnsLess) ? EXIT.badAnswer : EXIT.done
      } finally {
        progress.finish()
      }
    },
  })

export const tenants: Command = createTenants((plan, workers, hooks) =>
  import('../workers.js').then((module) => module.runTenants(plan, workers, hooks)),
)
