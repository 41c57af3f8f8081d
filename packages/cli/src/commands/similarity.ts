import { createCore, embeddingSimilarity } from '@trimtab/core'
import { embeddingOf, formatEstimate } from '@trimtab/studies'
import { readModel, readTrajectories } from '../adaptation/files.js'
import { type Command, defineCommand, EXIT } from '../command.js'
import { switchOption, textOption, UsageError } from '../options.js'
import { readingOf, readingOptions } from '../read-file.js'

const options = {
  model: textOption('FILE', 'a model of `trimtab pretrain`', undefined),
  ...readingOptions,
  json: switchOption('print the answer as JSON'),
}

export const similarityCommand: Command = defineCommand({
  name: 'similarity',
  summary: 'How alike two applications are, and what serving one by the policy of the other would cost',
  operands: 'A B',
  options,
  examples: [
    ['trimtab similarity shop.jsonl blog.jsonl --model trimtab-autoscaling.safetensors', '1 is alike, 0 is not'],
  ],
  exits: 'A, B: files of steps as for `trimtab embed`.\nExit: 0 done, 2 the call is bad.',
  async run(values, host, operands) {
    const [a, b, ...others] = operands
    if (a === undefined || b === undefined || others.length > 0) throw new UsageError('name two files of steps')
    if (values.model === undefined) throw new UsageError('--model is missing: make one with trimtab pretrain TASK')
    const reading = readingOf(host, values)
    const model = await readModel(values.model, reading)
    const core = await createCore()
    const [here, there] = [
      embeddingOf(core, model, await readTrajectories(a, model, reading)),
      embeddingOf(core, model, await readTrajectories(b, model, reading)),
    ]
    const found = embeddingSimilarity(here, there)
    const estimate = model.estimateAt(found.similarity)
    if (values.json) host.stdout.write(`${JSON.stringify({ ...found, estimate })}\n`)
    else host.stdout.write(`similarity ${found.similarity.toFixed(3)}\n${formatEstimate(estimate)}\n`)
    return EXIT.done
  },
})
