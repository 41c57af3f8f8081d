import { describePair, formatEstimate } from '@trimtab/studies'
import { readModel, readTrajectories } from '../adaptation/files.js'
import { type Command, defineCommand, EXIT } from '../command.js'
import { switchOption, textOption, UsageError } from '../options.js'
import { readingOf, readingOptions } from '../read-file.js'

const options = {
  model: textOption('FILE', 'a model of `trimtab pretrain`', undefined),
  ...readingOptions,
  json: switchOption('print the answer as JSON, the embedding with it'),
}

export const embed: Command = defineCommand({
  name: 'embed',
  summary: 'What kind of application a trajectory comes from: its embedding, its nearest relative, the cost to adapt',
  operands: 'FILE',
  options,
  examples: [['trimtab embed shop.jsonl --model trimtab-autoscaling.safetensors', 'before anything is deployed']],
  exits: `FILE: a line of JSON a step: {"episode": 0, "observation": […], "action": […], "reward": 1.2}
Exit: 0 done, 1 the application is unlike everything that was pretrained on, 2 the call is bad.`,
  async run(values, host, operands) {
    const [file, ...others] = operands
    if (file === undefined || others.length > 0) throw new UsageError('name one file of steps')
    if (values.model === undefined) throw new UsageError('--model is missing: make one with trimtab pretrain TASK')
    const reading = readingOf(host, values)
    const model = await readModel(values.model, reading)
    const found = await describePair(model, await readTrajectories(file, model, reading))
    const { distance, nearest, estimate, z } = found
    if (values.json) host.stdout.write(`${JSON.stringify(found)}\n`)
    else
      host.stdout.write(
        `embedding: ${z.map((value) => value.toFixed(3)).join(' ')}
nearest: ${nearest.pair}, similarity ${nearest.similarity.toFixed(3)}
${formatEstimate(estimate)}\n`,
      )
    if (!distance.isOutOfDistribution) return EXIT.done
    host.stderr.write(
      `trimtab: unlike everything that was pretrained on (distance ${distance.nearest.toFixed(2)}, the pool's own keep ${distance.limit.toFixed(2)}): pretrain on applications like this one, or expect to learn from scratch\n`,
    )
    return EXIT.badAnswer
  },
})
