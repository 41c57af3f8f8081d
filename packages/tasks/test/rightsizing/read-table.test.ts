import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { notChecked } from '../../../../test/not-checked.js'
import { AWS_USD_PER_GB_SECOND, readRuntimeTable } from '../../src/rightsizing/index.js'

const refusalOf = (text: string, options = {}): string => {
  try {
    readRuntimeTable('t.csv', text, options)
  } catch (error) {
    expect((error as { code: string }).code).toBe('table_invalid')
    return (error as Error).message
  }
  throw new Error('it was not refused')
}

describe('a table of functions', () => {
  it('is read with its unit, repeats averaged, gaps kept, memory priced as on AWS', () => {
    const table = readRuntimeTable(
      'f.csv',
      'function,memory_mb,duration_ms,cpu_ms,note_std\nresize,128,900,100,1\nresize,128,1100,300,2\nresize,1024,250,90,3\nscan,128,50,40,4\n',
    )
    expect(table.configurations.map(({ name }) => name)).toEqual(['memory_mb=128', 'memory_mb=1024'])
    expect(table.workloads.map(({ name, seconds }) => [name, ...seconds])).toEqual([
      ['resize', 1, 0.25],
      ['scan', 0.05, Number.NaN],
    ])
    expect(table.counters).toEqual(['cpu_ms'])
    expect([...table.workloads[0]!.counters]).toEqual([200, 90])
    expect(table.rows).toEqual({ used: 4, failed: 0, unmeasured: 0, repeated: 1 })
    expect(table.configurations[1]!.usdPerSecond).toBe(AWS_USD_PER_GB_SECOND)
  })

  it('without names is one workload, with costs of a million runs', () => {
    const table = readRuntimeTable('fib.csv', 'memory_mb,duration_ms,usd_per_million\n128,400,0.8\n')
    expect(table.workloads.map(({ name }) => name)).toEqual(['fib.csv'])
    expect(table.configurations[0]!.usdPerSecond).toBeCloseTo(2e-6, 15)
  })
})

describe('a table of virtual machines', () => {
  const text = [
    '\uFEFFprovider,A_type,nodes,workload,target_cost,target_runtime,status',
    'A,1,2,sort,0.02,10,ok',
    'B,,3,sort,0.06,20,ok',
    'B,,3,sort,0.09,30,ok',
    'B,,3,join,,,"failed: ""x"", and',
    'then more, over two lines"',
    'A,1,2,join,0.01,,ok',
    'A,1,2,join,0.01,5,OK',
  ].join('\r\n')

  it('leaves out failed and unmeasured runs and counts them, and takes the price from the costs', () => {
    const table = readRuntimeTable('vm.csv', text)
    expect(table.dimensions).toEqual(['provider', 'A_type', 'nodes'])
    expect(table.configurations.map(({ name }) => name)).toEqual(['provider=A A_type=1 nodes=2', 'provider=B nodes=3'])
    expect(table.workloads.map(({ name, seconds }) => [name, ...seconds])).toEqual([
      ['sort', 10, 25],
      ['join', 5, Number.NaN],
    ])
    expect(table.rows).toEqual({ used: 4, failed: 1, unmeasured: 1, repeated: 1 })
    expect(table.configurations.map(({ usdPerSecond }) => usdPerSecond)).toEqual([0.002, 0.003])
  })

  it('takes other names for its columns', () => {
    const columns = { workload: 'job_id', runtime: 'wall_min', configuration: ['cores'] }
    const table = readRuntimeTable('x.csv', 'job_id,cores,host,wall_min\na,4,h1,2\na,4,h2,4\n', { columns })
    expect(table.dimensions).toEqual(['cores'])
    expect([...table.workloads[0]!.seconds]).toEqual([180])
  })
})

describe('a table that cannot be used', () => {
  it.each([
    ['nothing', '', /t\.csv is empty: its first line must name the columns/],
    ['a header only', 'function,memory_mb,duration_ms\n', /no row that can be used: 0 runs failed/],
    ['failures only', 'workload,nodes,runtime_s,status\na,1,3,broken\n', /1 runs failed/],
    ['no runtime', 'function,memory_mb\na,128\n', /no column is a runtime: call it runtime_s or duration_ms/],
    ['a unit that is missing', 'function,memory_mb,elapsed\na,128,4\n', /no column is a runtime/],
    ['nothing that was configured', 'function,duration_ms\na,4\n', /no column says on which configuration/],
    ['a column named twice', 'function,function,duration_ms\na,b,4\n', /names the column "function" twice/],
    ['a short row', 'function,memory_mb,duration_ms\na,128\n', /line 2: expected 3 cells \(function, .*\), got 2/],
    [
      'a word for a number',
      'function,memory_mb,duration_ms\n\na,128,fast\n',
      /line 3: duration_ms must be a number, got "fast"/,
    ],
    ['a runtime of zero', 'function,memory_mb,duration_ms\na,128,0\n', /line 2: duration_ms must be > 0, got 0/],
    ['a runtime below zero', 'function,memory_mb,duration_ms\na,128,-3\n', /must be > 0, got -3/],
    ['an infinite runtime', 'function,memory_mb,duration_ms\na,128,Infinity\n', /must be a number, got "Infinity"/],
    ['an open quote', 'function,memory_mb,duration_ms\n"a,128,3\n', /line 2: a quote is opened and never closed/],
    ['text behind a quote', 'function,memory_mb,duration_ms\n"a"b,128,3\n', /follows a closing quote/],
  ])('for %s says why', (_, text, message) => {
    expect(refusalOf(text)).toMatch(message)
  })

  it('says every column it misses at once', () => {
    const columns = { workload: 'who', runtime: 'elapsed' }
    const message = refusalOf('function,memory_mb,elapsed\na,128,4\n', { columns })
    expect(message).toMatch(/no column "who".*elapsed has no unit: call it elapsed_s, elapsed_ms/)
  })
})

describe('tables that were published', () => {
  const data = new URL('../../../../../shared/data/', import.meta.url)
  if (!existsSync(data)) {
    notChecked('tables that were published', '../shared/data')
    return
  }

  it.each([
    ['vm_config/multi_cloud.csv', 22, 82, { used: 1723, failed: 268, unmeasured: 0, repeated: 68 }, 9, 0],
    ['serverless/sizeless_train_features.csv', 24, 8, { used: 192, failed: 0, unmeasured: 0, repeated: 0 }, 1, 24],
    ['serverless/sizeless_apps.csv', 18, 8, { used: 432, failed: 0, unmeasured: 0, repeated: 288 }, 1, 12],
    [
      'serverless/aws_lambda_fibonacci_memory_2018.csv',
      1,
      10,
      { used: 10, failed: 0, unmeasured: 0, repeated: 0 },
      1,
      0,
    ],
  ])('%s is read as its description says', (path, workloads, configurations, rows, dimensions, counters) => {
    const table = readRuntimeTable(path, readFileSync(new URL(path, data), 'utf8'))
    expect(table.workloads).toHaveLength(workloads)
    expect(table.configurations).toHaveLength(configurations)
    expect(table.rows).toEqual(rows)
    expect(table.dimensions).toHaveLength(dimensions)
    expect(table.counters).toHaveLength(counters)
    for (const { usdPerSecond } of table.configurations) expect(usdPerSecond).toBeGreaterThan(0)
  })
})
