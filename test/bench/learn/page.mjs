// In a page: embeddings on Web Workers.
import { createCore } from '@trimtab/core'
import { EncoderWorkers } from '@trimtab/core/threads'
import { threadsRows } from './threads.mjs'

/** @param script  calls `serveEncoder` */
export async function rowsOnWorkers(script) {
  const worker = () => new Worker(script, { type: 'module' })
  return threadsRows(await createCore(), new EncoderWorkers({ worker, size: 2 }), 'Web Workers in Chromium')
}
