import { fileURLToPath } from 'node:url'

const pathOf = (name: string): string => fileURLToPath(new URL(`../samples/${name}.gz`, import.meta.url))

/** Files that come with the package, made up by `scripts/make-samples.mjs`: what `--sample` reads. */
export const SAMPLES: Readonly<Record<'usualTraces' | 'slowTraces' | 'load' | 'requests', string>> = {
  /** Requests of a healthy time, and of one in which `rate` lacks CPU. */
  usualTraces: pathOf('usual-traces.jsonl'),
  slowTraces: pathOf('slow-traces.jsonl'),
  /** A week of requests per minute. */
  load: pathOf('load.csv'),
  /** 2000 requests to three models, with prompts and arrivals. */
  requests: pathOf('requests.jsonl'),
}
