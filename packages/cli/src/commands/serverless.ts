import { type Command, defineCommand, EXIT } from '../command.js'
import { listOption, numberOption, repeatedOption, switchOption, textOption, UsageError } from '../options.js'
import { runDemo } from '../serverless/demo.js'
import { formatDemo } from '../serverless/format-demo.js'
import { isScaling, SCALING_NAMES } from '../serverless/scalings.js'
import { serveActions } from '../serverless/serve.js'
import { createPaint } from '../terminal.js'

const options = {
  actions: repeatedOption('DIR|FILE', 'functions to serve: modules that export main, named after their files'),
  port: numberOption('where to listen, on this machine only; 0: any that is free', 3233, { min: 0, max: 65_535 }),
  policy: textOption(
    'FILE|NAME',
    'what decides: rule, containers ahead of the requests, R + c√R, also where a policy cannot; learned, the policy that is shipped; a policy FILE; stock, as OpenWhisk does: one when a request waits, idle for ten minutes',
    'rule',
  ),
  step: numberOption('seconds between two decisions', 1, { min: 0.1, max: 3600, fraction: true }),
  'memory-mib': numberOption('that all containers together may have; 256 each unless an action says otherwise', 2048, {
    min: 128,
    max: 10_000_000,
  }),
  demo: switchOption('instead of serving: measure on this machine how each scaling serves bursts, block after block'),
  arms: listOption(
    'of the demo: what is compared, each with the first, a --policy FILE as learned (default: all)',
    SCALING_NAMES,
  ),
  seconds: numberOption('of the demo: length of a block', 40, { min: 1, max: 3600 }),
  rounds: numberOption('of the demo: blocks of each', 3, { min: 1, max: 100 }),
  seed: numberOption('of the demo: same seed, same requests', 1, { min: 0, max: 1_000_000_000 }),
  json: switchOption('print JSON: a line when it listens and one at the end; the numbers of the demo'),
}

export const serverless: Command = defineCommand({
  name: 'serverless',
  summary: 'Run functions as processes of this machine behind OpenWhisk’s API, scaled ahead of their load',
  options,
  examples: [
    ['trimtab serverless --actions ./functions', 'every module in the folder, for curl and the client of OpenWhisk'],
    ['trimtab serverless --demo', 'six minutes: cold starts and p99 by stock scaling, the rule and the policy'],
    ['trimtab serverless --demo --seconds 60 --rounds 6 --json > demo.json', 'longer, and all numbers'],
  ],
  exits:
    'Ctrl-C or SIGTERM serves whoever waits, then ends; no process is left, however the command ends.\nExit: 0 done, 1 the demo gives no verdict (a busy machine, failed requests), 2 the call is bad.',
  async run({ demo, json, actions, step: stepSeconds, ...values }, host) {
    if (demo === actions.length > 0)
      throw new UsageError('say what to do: --actions DIR|FILE serves functions, --demo measures (one of them)')
    if (!demo) {
      const { port, policy, 'memory-mib': memoryMiB } = values
      await serveActions({ actions, port, policy, memoryMiB, stepSeconds, json }, host)
      return EXIT.done
    }
    const { arms, policy, rounds, seconds, seed } = values
    const learned = isScaling(policy) ? 'learned' : policy
    const report = await runDemo({ arms, policy: learned, rounds, seconds, stepSeconds, seed }, host)
    host.stdout.write(json ? `${JSON.stringify(report)}\n` : formatDemo(report, createPaint(host.stdout, host.env)))
    return report.doubts.length > 0 ? EXIT.badAnswer : EXIT.done
  },
})
