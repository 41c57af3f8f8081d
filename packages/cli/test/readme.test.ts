import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

const page = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')

/** What the first example of a page prints. */
async function linesOf(text: string): Promise<string[]> {
  const example = /```js\n(.*?)```/s.exec(text)![1]!
  expect(example.trim().split('\n').length).toBeLessThan(15)
  const lines: string[] = []
  // Each import line as it stands, on the sources of the subpath that it names.
  const body = example.replaceAll(/^import (\{.*\}) from '(trimtab.*)'$/gm, "const $1 = await load('$2')")
  const load = (name: string) => {
    const { '@trimtab/source': source } = manifest.exports[name.replace('trimtab', '.')]
    return import(new URL(`../${source}`, import.meta.url).href)
  }
  const AsyncFunction = (async () => {}).constructor as FunctionConstructor
  const print = { log: (...words: unknown[]) => lines.push(words.map(wordOf).join(' ')) }
  await new AsyncFunction('load', 'console', body)(load, print)
  return lines
}

/** A number or a text as it is printed, all else as JSON. */
const wordOf = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value))

describe('the README of the repository', () => {
  it('has an example whose first decision is the rule’s, within bounds', async () => {
    const [line] = await linesOf(page('README.md'))
    const [order, why] = line!.split(/(?<=\}) (?=\{)/).map((text) => JSON.parse(text))
    expect(why).toMatchObject({ served: 'rule', shadow: order })
    expect(order.replicas).toBeGreaterThanOrEqual(1)
    expect(order.coresPerReplica * order.replicas).toBeGreaterThan(0.9) // what was in use
  })
})

describe('the guide to autoscaling', () => {
  it('has an example that costs less than its tuned rule, within the budget, from the first day on', async () => {
    const lines = await linesOf(page('docs/guides/autoscaling.md'))
    const form = /^(\S+): \$(\d\.\d{4}) an hour, (\d+\.\d\d) % of steps broke the SLO$/
    const [rule, guarded] = lines.map((line) => form.exec(line)!.slice(1))
    expect([rule![0], guarded![0], lines.length]).toEqual(['resize', 'guarded-margin', 2])
    expect(Number(guarded![1])).toBeLessThan(Number(rule![1]))
    expect(Number(guarded![2])).toBeLessThanOrEqual(0.5)
  })
})

describe('the README', () => {
  it('has an example under fifteen lines that runs as printed', async () => {
    const lines = await linesOf(readme)
    expect(lines.join()).toMatch(/^HPA\+VPA: 1\d\d\.\d of 200, [\d.]+ % violations, \d+\.\d cores$/)
  })

  it('names every subpath of the package', () => {
    const subpaths = Object.keys(manifest.exports).filter((path) => path !== './package.json')
    for (const path of subpaths) expect(readme).toContain(`| \`trimtab${path.slice(1)}\``)
  })
})
