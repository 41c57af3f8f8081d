import { findInstalled, objectTitle, uninstall } from '@trimtab/operator/manifests'
import { clusterOptions, withCluster } from '../../cluster/open.js'
import { type Command, defineCommand, EXIT } from '../../command.js'
import { switchOption, textOption } from '../../options.js'

export const operatorUninstall: Command = defineCommand({
  name: 'operator uninstall',
  summary: 'Take the operator out of a cluster with all it made, autoscalers included; workloads keep their size',
  options: {
    'dry-run': switchOption('say what would be deleted'),
    namespace: textOption('NAME', 'where the operator is (default: trimtab-system)', undefined),
    ...clusterOptions,
  },
  examples: [
    ['trimtab operator uninstall --dry-run', 'what there is of it'],
    ['trimtab operator uninstall', 'nothing is left'],
  ],
  exits: 'Exit: 0 nothing is left, 1 the cluster refused or could not be reached, 2 the call is bad.',
  run: ({ namespace, 'dry-run': isDryRun, ...cluster }, host) =>
    withCluster(cluster, async (client) => {
      const call = { signal: host.signal }
      const objects = await findInstalled(client, { namespace }, call)
      if (objects.length === 0) host.stdout.write('there is nothing of the operator\n')
      if (isDryRun) for (const object of objects) host.stdout.write(`${objectTitle(object)} would be deleted\n`)
      else
        for await (const object of uninstall(client, objects, call))
          host.stdout.write(`${objectTitle(object)} deleted\n`)
      return EXIT.done
    }),
})
