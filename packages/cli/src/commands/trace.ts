import { type Command, defineGroup } from '../command.js'

/** `trimtab trace …`: each command loads on demand. */
export const trace: Command = defineGroup({
  name: 'trace',
  summary: 'Traces in; the critical path, the culprit and what fixing it would buy out',
  commands: {
    'critical-path': async () => (await import('./trace/critical-path.js')).criticalPath,
    profile: async () => (await import('./trace/profile.js')).profile,
    culprits: async () => (await import('./trace/culprits.js')).culprits,
    'what-if': async () => (await import('./trace/what-if.js')).whatIf,
    diff: async () => (await import('./trace/diff.js')).diff,
  },
  examples: [
    ['trimtab trace critical-path trace.json', 'what this request waited for, section by section'],
    ['trimtab trace profile traces/*.json.gz --report traces.html', 'where the time of all requests goes, as a page'],
    ['trimtab trace culprits slow.json --baseline usual.json', 'which service to fix, and why'],
    ['curl -s "$JAEGER/api/traces?service=front" | trimtab trace what-if - --speed-up cart=2', 'what a fix would buy'],
  ],
})
