import { readFileSync } from 'node:fs'
import * as core from '@trimtab/core'
import { describe, expect, it } from 'vitest'
import * as trace from '../src/index.js'

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
const examples = Array.from(readme.matchAll(/```js\n(.*?)```/gs), ([, code]) => code!)

const call = (spanID: string, parent: string | undefined, startTime: number, duration: number, processID: string) => ({
  traceID: 'f1',
  spanID,
  operationName: 'work',
  references: parent ? [{ refType: 'CHILD_OF', traceID: 'f1', spanID: parent }] : [],
  startTime,
  duration,
  processID,
})
/** One request of 10 ms, 6 of them in `cart`. */
const FILE = JSON.stringify({
  data: [
    {
      traceID: 'f1',
      spans: [call('a', undefined, 0, 10_000, 'p1'), call('b', 'a', 1000, 6000, 'p2')],
      processes: { p1: { serviceName: 'shop' }, p2: { serviceName: 'cart' } },
    },
  ],
})

async function linesOf(example: string): Promise<string[]> {
  const lines: string[] = []
  const AsyncFunction = (async () => {}).constructor as FunctionConstructor
  const bindings = {
    ...core,
    ...trace,
    fetch: async () => ({ body: new Blob([FILE]).stream() }),
    console: { log: (...words: unknown[]) => lines.push(words.join(' ')) },
  }
  const body = example.replaceAll(/^import .*$/gm, '')
  await new AsyncFunction(...Object.keys(bindings), body)(...Object.values(bindings))
  return lines
}

describe('the README', () => {
  it('reads, profiles and asks what if, as printed', async () => {
    expect(await linesOf(examples[0]!)).toEqual(['cart: 60.0 % of all latency, p99 6.0 ms', 'twice as fast: −30.0 %'])
  })

  it('shows the sections that its one-liner returns', async () => {
    const shown = /^\/\/ (.*)$/m.exec(examples[1]!)![1]
    expect(await linesOf(examples[1]!)).toEqual([shown])
  })

  it('names every repair, every option of the path and every format', () => {
    const options = ['mode', 'overlapTolerance', 'followsFrom', 'producerConsumer', 'lateChild']
    for (const name of [...Object.keys(trace.REPAIRS), ...options]) expect(readme).toContain(`\`${name}\``)
    for (const format of ['Jaeger JSON', 'OTLP JSON', 'OTLP protobuf', 'Zipkin', 'CSV']) {
      expect(readme).toContain(`| ${format}`)
    }
  })
})
