import { discoverCapabilities } from '@trimtab/kubernetes'
import {
  DEFAULT_IMAGE,
  type InstallOptions,
  install,
  objectTitle,
  operatorObjects,
  toYaml,
} from '@trimtab/operator/manifests'
import { clusterOptions, withCluster } from '../../cluster/open.js'
import { type Command, defineCommand, EXIT } from '../../command.js'
import { choiceOption, numberOption, repeatedOption, switchOption, textOption } from '../../options.js'

export const operatorInstall: Command = defineCommand({
  name: 'operator install',
  summary: 'Bring the operator into a cluster, or print what that takes',
  options: {
    'dry-run': switchOption('print the objects as YAML, ask no cluster'),
    namespace: textOption('NAME', 'where the operator is (default: trimtab-system)', undefined),
    image: textOption('IMAGE', `its container image; none is published yet (default: ${DEFAULT_IMAGE})`, undefined),
    only: choiceOption('recommend: without what changes workloads', ['recommend'] as const, undefined),
    prometheus: textOption('URL', 'as pods reach it (default: http://prometheus.monitoring.svc:9090)', undefined),
    period: numberOption('seconds between passes', 15, { min: 1, max: 3600 }),
    replicas: numberOption('pods of each part, of which one leads', 2, { min: 1, max: 100 }),
    'watch-namespace': repeatedOption('NAME', 'looked after (default: all)'),
    monitoring: switchOption('also ServiceMonitor, alerts and dashboard; needs the kinds of the Prometheus operator'),
    ...clusterOptions,
  },
  examples: [
    ['trimtab operator install --only recommend --dry-run | kubectl apply --server-side -f -', 'see, before you trust'],
    ['trimtab operator install --image registry.example/trimtab-operator:0.1.0', 'all parts, by your kubeconfig'],
  ],
  exits: 'Exit: 0 it is there (or printed), 1 the cluster refused or could not be reached, 2 the call is bad.',
  async run(values, host) {
    const options: InstallOptions = {
      namespace: values.namespace,
      image: values.image,
      parts: values.only && ['recommender'],
      prometheusUrl: values.prometheus,
      periodSeconds: values.period,
      replicas: values.replicas,
      watchedNamespaces: values['watch-namespace'],
      monitoring: values.monitoring,
    }
    const objects = operatorObjects(options) // a bad option is refused before a cluster is asked
    if (values['dry-run']) {
      host.stdout.write(toYaml(objects))
      return EXIT.done
    }
    return withCluster(values, async (client) => {
      const call = { signal: host.signal }
      const { disruptionBudgets } = await discoverCapabilities(client, call)
      for await (const step of install(client, { ...options, disruptionBudgets }, call)) {
        const outcome = step.outcome === 'kept' ? 'is not of this installation, left as it is' : 'applied'
        host.stdout.write(`${objectTitle(step)} ${outcome}\n`)
      }
      return EXIT.done
    })
  },
})
