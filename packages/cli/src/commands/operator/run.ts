import { randomInt } from 'node:crypto'
import { hostname } from 'node:os'
import { createCore, Random } from '@trimtab/core'
import { readKubeconfig, readServiceAccount } from '@trimtab/kubernetes'
import { createParts, OPERATOR_NAMESPACE, OPERATOR_PARTS, Operator } from '@trimtab/operator'
import { PrometheusClient } from '@trimtab/prometheus'
import { type Command, defineCommand, EXIT } from '../../command.js'
import { createLogger, LOG_FORMATS } from '../../log.js'
import { choiceOption, listOption, numberOption, repeatedOption, textOption } from '../../options.js'
import { INFLUX_FORM, InfluxTrajectories, readInfluxServer } from './trajectories.js'

const port = <T extends number | undefined>(help: string, fallback: T) =>
  numberOption(help, fallback, { min: 0, max: 65_535 })

const options = {
  parts: listOption(`what runs here, of ${OPERATOR_PARTS.join(', ')} (default: all)`, OPERATOR_PARTS),
  namespace: textOption('NAME', 'where leases and state are kept', OPERATOR_NAMESPACE),
  'watch-namespace': repeatedOption('NAME', 'whose autoscalers are looked after (default: all)'),
  kubeconfig: textOption(
    'FILE',
    'the cluster (default: in a pod its service account, else as kubectl finds it)',
    undefined,
  ),
  prometheus: textOption('URL', 'answers the queries of autoscalers: http://prometheus:9090', undefined),
  period: numberOption('seconds between passes', 15, { min: 1, max: 3600 }),
  'metrics-port': port('/metrics, /healthz and /readyz; 0: any that is free', 8080),
  'admission-port': port('where the webhook answers', 8443),
  'keda-port': port('recommendations for KEDA’s metrics-api scaler (default: none)', undefined),
  'keda-grpc-port': port('the same for KEDA’s external scaler; needs @grpc/grpc-js (default: none)', undefined),
  influxdb: textOption('URL', `keeps the steps of each workload: ${INFLUX_FORM} (default: nowhere)`, undefined),
  log: choiceOption('lines on stderr (default: text on a terminal, else json)', LOG_FORMATS, undefined),
}

export const operatorRun: Command = defineCommand({
  name: 'operator',
  summary: 'The autoscaler for Kubernetes: decide for every MultidimPodAutoscaler of a cluster',
  options,
  examples: [
    ['trimtab operator --prometheus http://prometheus:9090', 'in a pod: all parts, for the whole cluster'],
    [
      'trimtab operator --parts recommender --watch-namespace shop --kubeconfig ~/.kube/config',
      'from a desk: recommendations for one namespace; changes nothing but their status',
    ],
  ],
  exits:
    'Several replicas may run: each part is led by the one that holds its lease. SIGTERM or Ctrl-C ends the pass in hand and gives leases back.\nExit: 0 told to stop, 1 the cluster could not be asked at the start, or a fault of ours, 2 the call is bad.',
  async run(values, host) {
    const { signal } = host // from here on: what is told to stop while it starts, stops as if it worked
    const clock = { now: () => Date.now() }
    const logger = createLogger(host.stderr, values.log ?? (host.stderr.isTTY ? 'text' : 'json'), clock.now)
    const isInPod = values.kubeconfig === undefined && host.env.KUBERNETES_SERVICE_HOST !== undefined
    const cluster = isInPod
      ? await readServiceAccount({ environment: host.env })
      : await readKubeconfig(values.kubeconfig === undefined ? {} : { path: values.kubeconfig })
    const core = await createCore()
    const prometheus = values.prometheus === undefined ? undefined : new PrometheusClient({ url: values.prometheus })
    const identity = `${hostname()}_${process.pid}`
    const influx = values.influxdb === undefined ? undefined : readInfluxServer(values.influxdb, host.env)
    const trajectories = influx && new InfluxTrajectories(influx, logger)
    const admissionPort = values['admission-port']
    const watched = values['watch-namespace']
    try {
      const operator = await Operator.start(
        {
          cluster,
          parts: createParts(values.parts, {
            ...{ core, periodSeconds: values.period, identity, prometheus, admissionPort },
            openTrajectory: trajectories?.open,
          }),
          identity,
          namespace: values.namespace,
          ...(watched.length > 0 && { watchedNamespaces: watched }),
          ports: { metrics: values['metrics-port'], keda: values['keda-port'], kedaGrpc: values['keda-grpc-port'] },
          periodSeconds: values.period,
          random: new Random(core, randomInt(2 ** 31)),
          clock,
          logger,
        },
        signal,
      )
      logger.info('started', { parts: values.parts, cluster: operator.context.capabilities.version, ...operator.ports })
      await operator.run(signal)
      logger.info('stopped')
      return EXIT.done
    } finally {
      await trajectories?.close()
      prometheus?.dispose()
    }
  },
})
