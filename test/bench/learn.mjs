// The learning engine: embeddings, and whole updates with them.
import { createCore } from '@trimtab/core'
import { EncoderThreads } from '@trimtab/node'
import { canUseChromium } from '../browser/chromium.mjs'
import { inPage } from '../browser/in-page.mjs'
import { ddpgRows } from './learn/ddpg.mjs'
import { embeddingRows } from './learn/embedding.mjs'
import { ppoRows } from './learn/ppo.mjs'
import { threadsRows } from './learn/threads.mjs'

export const name = 'learn'

/** The page, and what its workers run. */
const PROGRAMS = ['learn/page.mjs', '../browser/encoder-worker.mjs'].map((path) => new URL(path, import.meta.url))

async function workersRows() {
  if (!canUseChromium('embeddings on Web Workers')) return []
  const call = `import('/bench/learn/page.js').then((all) => all.rowsOnWorkers('/browser/encoder-worker.js'))`
  return inPage(PROGRAMS, (page) => page.evaluate(call))
}

/** What is measured, in this order, each with a core of its own: (core, log) → rows. */
const PARTS = {
  embedding: embeddingRows,
  'embedding on threads': (core) => threadsRows(core, new EncoderThreads({ size: 2 }), 'threads'),
  'embedding on Web Workers': workersRows,
  'DDPG with an encoder': ddpgRows,
  PPO: ppoRows,
}

export async function run({ log }) {
  const rows = []
  for (const [part, measurePart] of Object.entries(PARTS)) {
    log(`learn: ${part}`)
    rows.push(...(await measurePart(await createCore(), log)))
  }
  return rows
}
