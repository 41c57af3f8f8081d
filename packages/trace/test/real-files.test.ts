// Every real trace file at hand goes the whole way. What had to be mended in each is pinned: traces, spans, repairs.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { notChecked } from '../../../test/not-checked.js'
import type { RepairCode } from '../src/index.js'
import { wholeWay } from './hostile/whole-way.js'

const data = new URL('../../../../shared/data/traces/', import.meta.url)

const FILES: Record<string, [traces: number, spans: number, repairs: Partial<Record<RepairCode, number>>]> = {
  'crisp/1.json': [1, 1, {}],
  'crisp/10.json': [1, 4, {}],
  'crisp/11.json': [1, 2, {}],
  'crisp/13.json': [1, 4, {}],
  'crisp/15.json': [1, 7, {}],
  'crisp/16.json': [1, 7, {}],
  'crisp/18.json': [1, 9, {}],
  'crisp/20.json': [1, 4, {}],
  'crisp/21.json': [1, 4, {}],
  'crisp/23.json': [1, 9, {}],
  'crisp/25.json': [1, 9, {}],
  'crisp/3.json': [1, 2, {}],
  'crisp/5.json': [1, 4, {}],
  'crisp/6.json': [1, 4, {}],
  'crisp/8.json': [1, 3, { clamped: 1 }],
  'crisp/err_pattern1-err1.json': [1, 2, {}],
  'crisp/err_pattern1-err2.json': [1, 2, {}],
  'crisp/err_pattern2-err1.json': [1, 2, {}],
  'crisp/err_pattern2-err2.json': [1, 2, {}],
  'crisp/err_pattern3-err1.json': [1, 3, {}],
  'crisp/err_pattern3-err2.json': [1, 3, {}],
  'crisp/err_pattern4-err1.json': [1, 3, {}],
  'crisp/err_pattern4-err2.json': [1, 3, {}],
  'jaeger_ui/flamegraph-testTrace.json': [1, 4, {}],
  'jaeger_ui/genaiTestTrace.json': [1, 57, { clamped: 1 }],
  'jaeger_ui/oltp2jaeger-multi-out.json': [1, 4, {}],
  'jaeger_ui/otlp2jaeger-in.json': [1, 1, { duplicate_span: 1, missing_parent: 1 }],
  'jaeger_ui/otlp2jaeger-out.json': [1, 1, { duplicate_span: 1, missing_parent: 1 }],
  'jaeger_ui/spanAmongEachOtherGroupedAndSpans.json': [1, 17, {}],
  'jaeger_ui/spanLongerAsParent.json': [1, 8, { clamped: 2 }],
  'jaeger_ui/spansAmongEachOther.json': [1, 12, {}],
  'jaeger_ui/testTrace.json': [1, 11, {}],
  'jaeger_ui/testTraceNormal.json': [1, 5, {}],
  'jaeger_ui/traceWithMultipleSpansWithTheSameValueInDifferentTags.json': [1, 4, { duplicate_id: 1, several_roots: 1 }],
  'jaeger_ui/traceWithOverlappingChildren.json': [1, 3, { clamped: 1 }],
  'jaeger_ui/traceWithSingleChildLongerThanParentAndStartsAfterParent.json': [1, 2, { dropped: 1 }],
  'jaeger_ui/traceWithThreeShortChildren.json': [1, 4, {}],
  'jaeger_ui/traceWithThreeShortOverlappingChildren.json': [1, 4, {}],
  'jaeger_ui/traceWithTwoChildrenStartedAtTraceStart.json': [1, 3, { clamped: 1 }],
  'zipkin/ascend.json': [1, 8, { shared_span: 2, dropped: 1 }],
  'zipkin/envoy.json': [1, 1, { unknown_process: 1 }],
  'zipkin/messaging-kafka.json': [1, 28, { clamped: 1, dropped: 5 }],
  'zipkin/messaging.json': [1, 4, {}],
  'zipkin/simple-db-p6.json': [1, 5, {}],
  'zipkin/skew.json': [1, 4, { shared_span: 1, clamped: 1, dropped: 1 }],
  'zipkin/smartthings-mobile-web-install.json': [
    1,
    957,
    { missing_end: 91, duplicate_span: 84, duplicate_id: 4, shared_span: 378, dropped: 1 },
  ],
  'zipkin/yelp.json': [1, 16, { shared_span: 3 }],
  'nezha_ob_jaeger.json.gz': [46, 2520, { clamped: 266 }],
  'nezha_tt_jaeger.json.gz': [52, 3440, { clamped: 143, dropped: 6 }],
}

describe('real trace files', () => {
  if (!existsSync(data)) {
    notChecked('real trace files', '../shared/data')
    return
  }

  it('are all known here', () => {
    const files = ['crisp', 'jaeger_ui', 'zipkin'].flatMap((folder) =>
      readdirSync(new URL(folder, data)).map((file) => `${folder}/${file}`),
    )
    const nezha = readdirSync(data).filter((file) => file.endsWith('jaeger.json.gz'))
    expect([...files, ...nezha].sort()).toEqual(Object.keys(FILES).sort())
  })

  it.each(Object.keys(FILES))('%s', async (name) => {
    const { traces, counts } = await wholeWay(readFileSync(new URL(name, data)))
    const spans = traces.reduce((sum, { size }) => sum + size, 0)
    expect([traces.length, spans, counts]).toEqual(FILES[name])
  })
})
