import { type Command, defineGroup } from '../command.js'

/** `trimtab gpu …`: each command loads on demand. */
export const gpu: Command = defineGroup({
  name: 'gpu',
  summary: 'NVIDIA GPUs: what is there, what they do, and clocks that follow the slack of an SLO',
  commands: {
    list: async () => (await import('./gpu/list.js')).list,
    watch: async () => (await import('./gpu/watch.js')).watch,
    run: async () => (await import('./gpu/run.js')).run,
    simulate: async () => (await import('./gpu/simulate.js')).simulate,
    reset: async () => (await import('./gpu/reset.js')).reset,
  },
  examples: [
    ['trimtab gpu list', 'which GPUs there are, by UUID, and who drives their clocks'],
    ['trimtab gpu watch', 'clock, power, energy and what holds the clock down, every second'],
    ['trimtab gpu run --slo-ms 2000 --latency latency.txt --dry-run', 'what the scaler would do; sets nothing'],
    [
      'trimtab gpu run --slo-ms 2000 --latency http://localhost:8000/metrics --metric vllm:e2e_request_latency_seconds',
      'drives the clock by the latency of a vLLM server; gives it back at the end',
    ],
    [
      'trimtab gpu simulate --report power.html',
      'what scaling and placement would save on a simulated cluster; needs no GPU',
    ],
  ],
})
