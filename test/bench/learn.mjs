// The learning engine: embeddings, and whole updates with them.
import { createCore } from '@trimtab/core'
import { ddpgRows } from './learn/ddpg.mjs'
import { embeddingRows } from './learn/embedding.mjs'
import { ppoRows } from './learn/ppo.mjs'
import { threadsRows } from './learn/threads.mjs'

export const name = 'learn'

/** What is measured, in this order, each with a core of its own: (core, log) → rows. */
const PARTS = {
  embedding: embeddingRows,
  'embedding on threads': threadsRows,
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
