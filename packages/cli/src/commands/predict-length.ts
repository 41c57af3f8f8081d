import { type Command, defineGroup } from '../command.js'

/** `trimtab predict-length …`: each command loads on demand. */
export const predictLength: Command = defineGroup({
  name: 'predict-length',
  summary: 'How many tokens an answer will take, from its prompt: learn it, judge it, ask it',
  commands: {
    train: async () => (await import('./predict-length/train.js')).train,
    eval: async () => (await import('./predict-length/eval.js')).evaluate,
    run: async () => (await import('./predict-length/run.js')).run,
  },
  examples: [
    ['trimtab predict-length train finished.jsonl.gz --out lengths.safetensors', 'learn from finished requests'],
    ['trimtab predict-length eval later.jsonl.gz --model lengths.safetensors --report lengths.html', 'how good it is'],
    [
      'trimtab predict-length eval mine.jsonl --learn mine-before.jsonl',
      'how fast the shipped weights learn your traffic',
    ],
    ['trimtab predict-length run "Write a haiku about rain" --name gpt-4o', 'one prompt'],
  ],
})
