import { createCore } from '@trimtab/core'
import { discoverCapabilities } from '@trimtab/kubernetes'
import { PrometheusClient } from '@trimtab/prometheus'
import { clusterOptions, withCluster } from '../cluster/open.js'
import { type Command, defineCommand, EXIT } from '../command.js'
import { numberOption, type Option, switchOption, textOption, UsageError } from '../options.js'
import { createProgress } from '../progress.js'
import { formatRecommendation } from '../recommendation/format.js'
import { defaultQueries } from '../recommendation/history.js'
import { inspectTarget, readTarget } from '../recommendation/target.js'
import { recommendFor } from '../recommendation/work.js'
import { createPaint } from '../terminal.js'

const options = {
  ...clusterOptions,
  namespace: textOption('NAME', 'of the workload (default: as the kubeconfig says)', undefined),
  prometheus: textOption('URL', 'where its history is: http://127.0.0.1:9090 (needed)', undefined),
  hours: numberOption('how much history is read', 24, { min: 0.1, max: 24 * 90, fraction: true }),
  until: timeOption('TIME', 'when the history ends, 2026-11-02T12:00:00Z or unix seconds (default: now)'),
  step: numberOption('seconds from one decision to the next', 15, { min: 1, max: 3600 }),
  'p99-ms': numberOption('the 99th percentile of latency stays below; without it the rule decides alone', undefined, {
    min: 0.001,
    max: 1e9,
    fraction: true,
  }),
  'slo-query': textOption('PROMQL', 'that percentile, in seconds (default: http_request_duration_seconds)', undefined),
  'load-query': textOption('PROMQL', 'requests asked for a second (default: http_requests_total)', undefined),
  'min-replicas': numberOption('at least', 2, { min: 1, max: 100_000 }),
  'max-replicas': numberOption('at most (default: 10, or half more than there ever were)', undefined, {
    min: 1,
    max: 100_000,
  }),
  json: switchOption('print all numbers as JSON'),
}

export const recommend: Command = defineCommand({
  name: 'recommend',
  summary: 'What the autoscaler would do with one workload of a cluster, by its history; changes nothing',
  operands: 'KIND/NAME',
  options,
  examples: [
    [
      'trimtab recommend deployment/web --prometheus http://127.0.0.1:9090',
      'by HPA’s and VPA’s rule: replicas and requests, and what that would have saved in a day',
    ],
    [
      'trimtab recommend deployment/web --prometheus http://127.0.0.1:9090 --p99-ms 250 --hours 168',
      'by the learned policy beside it, with a latency to keep; a week of history',
    ],
    [
      "trimtab recommend sts/db --prometheus http://127.0.0.1:9090 --p99-ms 20 --load-query 'sum(rate(queries_total[2m]))' --slo-query 'max(db:p99)'",
      'with queries of your own',
    ],
  ],
  exits:
    'The decisions are the operator’s own, over what was recorded; nothing that they want came into force, so a later step sees the old sizes. Only reads: the workload, its pods, Prometheus.\nExit: 0 answered, 1 the cluster, Prometheus or the history is not there, 2 the call is bad.',
  async run(values, host, operands) {
    const [operand, ...rest] = operands
    if (operand === undefined || rest.length > 0)
      throw new UsageError(`one workload is judged, got ${operands.length}: trimtab recommend deployment/web`)
    const target = readTarget(operand)
    const url = values.prometheus
    if (url === undefined) throw new UsageError('--prometheus URL is needed: that is where the history is')
    const prometheus = new PrometheusClient({ url, timeoutMs: 60_000 })
    try {
      return await withCluster(values, async (client) => {
        const { signal } = host
        const namespace = values.namespace ?? client.namespace
        const workload = await inspectTarget(client, target, namespace, signal)
        const { canResizeInPlace } = await discoverCapabilities(client, { signal })
        const { podPattern } = target
        const defaults = defaultQueries({ namespace, podPattern, container: workload.container })
        const progress = createProgress(host, 'steps')
        const report = await recommendFor(await createCore(), prometheus, {
          target: { kind: target.kind.kind, apiVersion: target.kind.apiVersion, name: target.name, namespace },
          ...{ workload, canResizeInPlace },
          queries: {
            ...defaults,
            ...(values['load-query'] !== undefined && { ratePerSecond: values['load-query'] }),
            ...(values['slo-query'] !== undefined && { p99Seconds: values['slo-query'] }),
          },
          ...{ p99Ms: values['p99-ms'], hours: values.hours, stepSeconds: values.step, untilSeconds: values.until },
          replicas: [values['min-replicas'], values['max-replicas']],
          clock: host,
          onProgress: (label, done, total) => progress.update({ done, total, label }),
          signal,
        }).finally(() => progress.finish())
        const paint = createPaint(host.stdout, host.env)
        host.stdout.write(
          values.json ? `${JSON.stringify(report, undefined, 2)}\n` : formatRecommendation(report, paint),
        )
        return EXIT.done
      })
    } finally {
      prometheus.dispose()
    }
  },
})

/** Unix seconds, or a time as RFC 3339 has it. */
function timeOption(value: string, help: string): Option<number | undefined> {
  return {
    value,
    help,
    fallback: undefined,
    read(text) {
      const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Date.parse(text) / 1000
      return seconds > 0 ? { value: seconds } : { must: 'must be a time as 2026-11-02T12:00:00Z, or unix seconds' }
    },
  }
}
