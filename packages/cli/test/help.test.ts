import { describe, expect, it } from 'vitest'
import type { Outline } from '../src/command.js'
import { fitHelp, GROUPS, HELP_EXAMPLES, helpOfAll } from '../src/help.js'
import { VERBS } from '../src/verbs.js'
import { createFakeHost } from './fake-host.js'
import { wordsOfCall } from './words-of-call.js'

const outlines: Record<string, Outline> = Object.fromEntries(
  await Promise.all(Object.entries(VERBS).map(async ([name, load]) => [name, await (await load()).outline()])),
)

/** Every command by the words that lead to it. */
function* places(commands: Readonly<Record<string, Outline>>, path: string[] = []): Generator<[string[], Outline]> {
  for (const [name, outline] of Object.entries(commands)) {
    yield [[...path, name], outline]
    yield* places(outline.commands, [...path, name])
  }
}

const PLACES = [...places(outlines)]

async function check(call: string): Promise<void> {
  const [verb, ...rest] = wordsOfCall(call)
  await (await VERBS[verb!]!()).check(rest)
}

const helpOf = async ([verb, ...rest]: readonly string[]): Promise<string> => (await VERBS[verb!]!()).help(rest)

describe('the help', () => {
  it.each(PLACES.map(([path, outline]) => [path.join(' '), outline] as const))(
    'of %s shows calls that the command takes',
    async (_, { examples }) => {
      expect(examples.length).toBeGreaterThan(0)
      for (const [call] of examples) await check(call)
    },
  )

  it('of everything has each command once', () => {
    expect(Object.values(GROUPS).flat().sort()).toEqual(Object.keys(VERBS).sort())
  })

  it('of everything does too', async () => {
    for (const call of HELP_EXAMPLES) await check(call)
  })

  it.each([40, 80, 132])('has no line longer than a terminal of %d columns, and loses no word', async (columns) => {
    const texts = [await helpOfAll(), ...(await Promise.all(PLACES.map(([path]) => helpOf(path))))]
    for (const text of texts) {
      const fitted = fitHelp(text, { write: () => {}, isTTY: true, columns })
      expect(fitted.split(/\s+/)).toEqual(text.split(/\s+/))
      for (const line of fitted.split('\n')) {
        const unbreakable =
          Math.max(
            ...line
              .trim()
              .split(' ')
              .map(({ length }) => length),
          ) >
          columns / 2
        if (!unbreakable && !line.startsWith('  -')) expect(line.length, line).toBeLessThanOrEqual(columns)
      }
    }
  })

  it('reaches a pipe as it is', async () => {
    const text = await helpOfAll()
    expect(fitHelp(text, createFakeHost().stdout)).toBe(text)
  })
})
