import { describe, expect, it } from 'vitest'
import {
  helpOfOptions,
  listOption,
  numberOption,
  readOptions,
  switchOption,
  textOption,
  UsageError,
} from '../src/options.js'

const options = {
  load: textOption('FILE', 'the load', undefined),
  seeds: numberOption('runs', 3, { min: 1, max: 50 }),
  factor: numberOption('SLO', 2, { min: 1.01, max: 100, fraction: true }),
  controllers: listOption('who', ['rule', 'learner'] as const),
  json: switchOption('numbers'),
}

describe('readOptions', () => {
  it.each([
    ['nothing', [], { load: undefined, seeds: 3, factor: 2, controllers: ['rule', 'learner'], json: false }],
    ['a value after a space', ['--seeds', '5'], { seeds: 5 }],
    ['a value after an equals sign', ['--seeds=5'], { seeds: 5 }],
    ['a fraction', ['--factor', '1.15'], { factor: 1.15 }],
    ['an exponent', ['--factor', '1e1'], { factor: 10 }],
    ['a list, once each', ['--controllers', 'learner, rule,learner'], { controllers: ['learner', 'rule'] }],
    ['a switch', ['--json'], { json: true }],
    ['the later of two', ['--seeds', '5', '--seeds', '6'], { seeds: 6 }],
    ['a file that starts with a dash', ['--load=-'], { load: '-' }],
  ])('accepts %s', (_, argv, expected) => {
    expect(readOptions(options, argv)).toMatchObject(expected)
  })

  it.each([
    ['an unknown option', ['--sloth'], 'unknown option --sloth'],
    ['a misspelt option, with the right one', ['--seed', '3'], 'unknown option --seed; did you mean --seeds?'],
    ['two letters exchanged', ['--josn'], 'unknown option --josn; did you mean --json?'],
    ['a short option', ['-s'], 'unknown option -s'],
    ['the name of an inherited property', ['--constructor'], 'unknown option --constructor'],
    ['a stray word', ['fast'], 'unexpected argument "fast"'],
    ['a missing value', ['--seeds'], '--seeds needs a value: --seeds N'],
    ['a missing value before another option', ['--seeds', '--json'], '--seeds needs a value: --seeds N'],
    ['an empty value', ['--load='], '--load must not be empty, got ""'],
    ['a value for a switch', ['--json=yes'], '--json takes no value, got "yes"'],
    ['a number below the range', ['--seeds', '0'], '--seeds must be a whole number from 1 to 50, got "0"'],
    ['a negative number', ['--factor', '-2'], '--factor must be a number from 1.01 to 100, got "-2"'],
    ['a fraction for a count', ['--seeds', '1.5'], '--seeds must be a whole number from 1 to 50, got "1.5"'],
    ['a word for a number', ['--seeds', 'many'], '--seeds must be a whole number from 1 to 50, got "many"'],
    ['hexadecimal', ['--seeds', '0x10'], 'got "0x10"'],
    ['NaN', ['--factor', 'NaN'], '--factor must be a number from 1.01 to 100, got "NaN"'],
    ['infinity', ['--factor', 'Infinity'], 'got "Infinity"'],
    [
      'an unknown choice',
      ['--controllers', 'rule,magic'],
      '--controllers must name some of rule, learner, got "rule,magic"',
    ],
    ['an empty choice', ['--controllers', 'rule,'], '--controllers must name some of rule, learner'],
  ])('refuses %s', (_, argv, message) => {
    expect(() => readOptions(options, argv)).toThrow(UsageError)
    expect(() => readOptions(options, argv)).toThrow(message)
  })

  it('names every problem of a call at once', () => {
    expect(() => readOptions(options, ['--seeds', '0', '--sloth', '--factor', 'x'])).toThrow(
      /--seeds must be.*\nunknown option --sloth\n--factor must be/,
    )
  })
})

describe('helpOfOptions', () => {
  it('gives each option an aligned line with its default', () => {
    expect(helpOfOptions({ seeds: options.seeds, json: options.json })).toBe(
      '  --seeds N  runs (default 3)\n  --json     numbers',
    )
  })
})
