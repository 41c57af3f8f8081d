import { type Command, defineCommand, EXIT } from '../../command.js'
import { numberOption, switchOption, textOption, UsageError } from '../../options.js'
import { openPredictor } from '../../prediction/open.js'
import { type Reading, readingOf, readingOptions, readText } from '../../read-file.js'
import { createPaint, formatTable } from '../../terminal.js'

const options = {
  model: textOption('MODEL', 'a file of `trimtab predict-length train` (default: the shipped weights)', undefined),
  name: textOption(
    'NAME',
    'the model that will answer; one not seen before is predicted as models are on the whole',
    'unnamed',
  ),
  'max-tokens': numberOption('where answers are cut', undefined, { min: 1, max: 1e9 }),
  ...readingOptions,
  json: switchOption('print a line of JSON a prompt'),
}

export const run: Command = defineCommand({
  name: 'predict-length run',
  summary: 'Predict how many tokens the answers to prompts will take',
  operands: 'PROMPT… | -',
  options,
  examples: [
    [
      'trimtab predict-length run "Write a haiku about rain" "Explain TCP in depth"',
      'two prompts, the shorter answer first or not',
    ],
    ['trimtab predict-length run - --name gpt-4o --json < prompts.txt', 'a prompt a line of stdin'],
  ],
  exits: 'Exit: 0 done, 2 the call is bad.',
  async run(values, host, operands) {
    const reading = readingOf(host, values)
    const prompts = operands.length === 1 && operands[0] === '-' ? await readLines(reading) : operands
    if (prompts.length === 0)
      throw new UsageError('a prompt is missing: give prompts as arguments, or - for a prompt a line of stdin')
    const { predictor } = await openPredictor(values.model, reading)
    const maxTokens = values['max-tokens']
    const found = prompts.map((prompt) => ({
      prompt,
      ...predictor.predict({ model: values.name, prompt, ...(maxTokens !== undefined && { maxTokens }) }),
    }))
    if (values.json) {
      for (const one of found) host.stdout.write(`${JSON.stringify(one)}\n`)
      return EXIT.done
    }
    const rows = found.map(({ prompt, tokens, score, class: k }) => [
      tokens.toFixed(0),
      `${k}`,
      score.toFixed(2),
      shorten(prompt),
    ])
    const columns = ['tokens', 'class', 'score'].map((title) => ({ title, align: 'right' as const }))
    const paint = createPaint(host.stdout, host.env)
    host.stdout.write(`${formatTable([...columns, { title: 'prompt', align: 'left' }], rows, paint)}\n`)
    return EXIT.done
  },
})

async function readLines(reading: Reading): Promise<string[]> {
  const text = await readText('-', reading, 'stdin')
  return text.split('\n').filter((line) => line.trim() !== '')
}

const shorten = (prompt: string): string => {
  const line = prompt.replace(/\s+/g, ' ')
  return line.length > 60 ? `${line.slice(0, 59)}…` : line
}
