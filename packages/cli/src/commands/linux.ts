import { type Command, defineGroup } from '../command.js'

/** `trimtab linux …`: each command loads on demand. */
export const linux: Command = defineGroup({
  name: 'linux',
  summary: 'Limits of this machine: what it has, limits for processes that are always given back',
  commands: {
    status: async () => (await import('./linux/status.js')).status,
    limit: async () => (await import('./linux/limit.js')).limit,
    restore: async () => (await import('./linux/restore.js')).restore,
  },
  examples: [
    ['trimtab linux status', 'what can be limited and seen here, and what is missing; changes nothing'],
    ['trimtab linux limit --pid 4711 --cpu 0.5 --memory 512MiB', 'until Ctrl-C; without cgroups CPU only'],
    ['trimtab linux restore', 'after a crash; the next trimtab linux limit does the same'],
  ],
})
