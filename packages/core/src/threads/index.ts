// Web Workers for a core's batches: `@trimtab/core/threads`. Node, Deno and Bun have `EncoderThreads` of `@trimtab/node`.
export {
  type EncoderScope,
  type EncoderWorker,
  EncoderWorkers,
  type EncoderWorkersOptions,
  serveEncoder,
} from './encoder-workers.js'
