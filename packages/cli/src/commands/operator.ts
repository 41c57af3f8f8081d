import { type Command, defineGroup } from '../command.js'

/** `trimtab operator`, and its verbs: each loads on demand. */
export const operator: Command = defineGroup({
  name: 'operator',
  summary: 'The autoscaler for Kubernetes: run it, bring it into a cluster, take it out again',
  itself: async () => (await import('./operator/run.js')).operatorRun,
  commands: {
    install: async () => (await import('./operator/install.js')).operatorInstall,
    uninstall: async () => (await import('./operator/uninstall.js')).operatorUninstall,
  },
  examples: [
    ['trimtab operator install --only recommend --dry-run | kubectl apply --server-side -f -', 'see, before you trust'],
    ['trimtab operator uninstall --dry-run', 'what there is of it'],
  ],
})
