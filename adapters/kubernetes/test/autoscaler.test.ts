import { readFileSync } from 'node:fs'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { parse } from 'yaml'
import { SPEC_SCHEMA, STATUS_SCHEMA } from '../src/autoscaler/schema.js'
import {
  type AutoscalerSpec,
  customResourceDefinition,
  type MultidimPodAutoscaler,
  problemsOf,
  type ResolvedAutoscalerSpec,
  readAutoscaler,
  type StructuralSchema,
} from '../src/index.js'
import { fieldTable } from '../src/schema/field-docs.js'

const SAMPLE = readFileSync(new URL('../examples/web.yaml', import.meta.url), 'utf8')
const autoscaler = (spec: object): MultidimPodAutoscaler =>
  ({
    metadata: { namespace: 'shop', name: 'web' },
    spec: { scaleTargetRef: { name: 'web' }, ...spec },
  }) as MultidimPodAutoscaler

describe('a MultidimPodAutoscaler', () => {
  it('is said in 15 lines', () => {
    expect(SAMPLE.trimEnd().split('\n').length).toBeLessThanOrEqual(15)
    const { bounds, slo, mode, controlled, errorBudget } = readAutoscaler(parse(SAMPLE))
    expect({ mode, controlled, errorBudget, replicas: bounds.replicas, bound: slo.latency?.p99Ms }).toEqual({
      mode: 'recommend',
      controlled: ['replicas', 'cpu', 'memory'],
      errorBudget: { percent: 0.5, days: 30 },
      replicas: { min: 2, max: 20 },
      bound: 250,
    })
  })

  it('needs no more than a target: it recommends, for everything, beside the rule', () => {
    expect(readAutoscaler(autoscaler({}))).toEqual({
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      mode: 'recommend',
      controlled: ['replicas', 'cpu', 'memory'],
      slo: { utilisation: { cpuPercent: 70 } },
      errorBudget: { percent: 0.5, days: 30 },
      cost: { vcpuHour: 0.0335, gibHour: 0.0045, currency: 'USD' },
      bounds: { replicas: { min: 2, max: 10 }, cpu: { min: '25m', max: '4' }, memory: { min: '64Mi', max: '16Gi' } },
      limits: {
        replicasPercentPerStep: 100,
        requestsPercentPerStep: 50,
        changesPerHour: 12,
        disruptions: [{ maxUnavailable: '25%', minutes: 60 }],
      },
      rule: {
        cpuUtilisationPercent: 70,
        scaleDownStabilizationSeconds: 300,
        requestPercentile: 90,
        requestMarginPercent: 15,
      },
      policy: { bundled: 'autoscaling' },
      fallback: 'rule',
    })
  })

  it('has the types that it declares', () => {
    expectTypeOf<{ scaleTargetRef: { name: string } }>().toExtend<AutoscalerSpec>()
    expectTypeOf<{ scaleTargetRef: { kind: string } }>().not.toExtend<AutoscalerSpec>()
    expectTypeOf<ResolvedAutoscalerSpec['mode']>().toEqualTypeOf<'recommend' | 'act'>()
    expectTypeOf<ResolvedAutoscalerSpec['bounds']['replicas']['min']>().toEqualTypeOf<number>()
    expectTypeOf<ResolvedAutoscalerSpec['slo']['latency']>().toExtend<{ p99Ms: number; query: string } | undefined>()
    expectTypeOf<AutoscalerSpec['mode']>().toEqualTypeOf<'recommend' | 'act' | undefined>()
  })

  it.each([
    ['a field that is none', { mod: 'act' }, /spec\.mod is no field/],
    ['an unknown mode', { mode: 'auto' }, /spec\.mode: Unsupported value: "auto"/],
    [
      'two objectives',
      { slo: { utilisation: { cpuPercent: 70 }, throughput: { query: 'x', perSecond: 1 } } },
      /spec\.slo.* at most 1 properties/,
    ],
    ['no objective', { slo: {} }, /spec\.slo.* at least 1 properties/],
    ['a latency without its query', { slo: { latency: { p99Ms: 1 } } }, /spec\.slo\.latency\.query: Required value/],
    [
      'bounds the wrong way round',
      { bounds: { replicas: { min: 5, max: 3 } } },
      /spec\.bounds\.replicas\.min \(5\) must not be above max \(3\)/,
    ],
    [
      'requests the wrong way round, whatever their units',
      { bounds: { memory: { min: '2Gi', max: '1024Mi' } } },
      /spec\.bounds\.memory\.min \(2Gi\) must not be above max \(1024Mi\)/,
    ],
    ['a quantity that is none', { bounds: { cpu: { min: '1 core' } } }, /spec\.bounds\.cpu\.min must be a quantity/],
    ['no bound below', { bounds: { cpu: { min: 0 } } }, /spec\.bounds\.cpu\.min must be a quantity above 0/],
    [
      'a share that is none',
      { limits: { disruptions: [{ maxUnavailable: 'half' }] } },
      /disruptions\[0\]\.maxUnavailable must be a number of pods or a share/,
    ],
    [
      'two policies',
      { policy: { bundled: 'autoscaling', configMap: { name: 'x' } } },
      /spec\.policy.* at most 1 properties/,
    ],
  ])('is refused with %s', (_, spec, message) => {
    expect(() => readAutoscaler(autoscaler(spec))).toThrow(
      expect.objectContaining({ code: 'autoscaler_invalid', message: expect.stringMatching(message) }),
    )
  })

  it('says every problem at once, and whose they are', () => {
    const wrong = autoscaler({ mode: 'auto', fallback: 'nothing' })
    expect(() => readAutoscaler(wrong)).toThrow(/MultidimPodAutoscaler shop\/web: spec\.mode: .*; spec\.fallback: /)
  })
})

describe('its declaration', () => {
  /** What Kubernetes asks of a structural schema, and what a reader does. */
  function faults(schema: StructuralSchema, path: string): string[] {
    const found: string[] = []
    const isIntOrString = schema['x-kubernetes-int-or-string'] === true
    if ((schema.type === undefined) !== isIntOrString) found.push(`${path}: no type`)
    if (schema.properties && schema.additionalProperties) found.push(`${path}: properties and additionalProperties`)
    if (schema.default !== undefined)
      found.push(...problemsOf(schema, schema.default, path).map(({ message }) => message))
    for (const name of schema.required ?? [])
      if (!schema.properties?.[name]) found.push(`${path}: ${name} is required and not declared`)
    for (const [name, field] of Object.entries(schema.properties ?? {})) {
      if (!field.description?.endsWith('.')) found.push(`${path}.${name}: no description`)
      found.push(...faults(field, `${path}.${name}`))
    }
    return schema.items ? [...found, ...faults(schema.items, `${path}[]`)] : found
  }

  it('is a structural schema whose defaults it allows itself, every field described', () => {
    expect([...faults(SPEC_SCHEMA, 'spec'), ...faults(STATUS_SCHEMA, 'status')]).toEqual([])
  })

  it('makes the columns that kubectl shows', () => {
    const { spec } = customResourceDefinition() as {
      spec: { versions: { additionalPrinterColumns: { name: string }[] }[] }
    }
    const names = spec.versions[0]!.additionalPrinterColumns.map(({ name }) => name.toUpperCase())
    expect(names).toEqual(['MODE', 'REPLICAS', 'WANTED', 'SLO', 'BUDGET', 'SAVING', 'STAGE', 'AGE'])
  })

  it('makes FIELDS.md (`npx vitest run -u` writes it)', async () => {
    const text = `# MultidimPodAutoscaler, trimtab.dev/v1alpha1\n\nMade from src/autoscaler/schema.ts.\n\n## spec\n\n${fieldTable(SPEC_SCHEMA, 'spec')}\n## status\n\n${fieldTable(STATUS_SCHEMA, 'status')}`
    await expect(text).toMatchFileSnapshot('../FIELDS.md')
  })
})
