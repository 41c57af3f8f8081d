import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { EPISODES, recordedText } from '../../playground/src/episodes.js'

const at = (path: string): string => fileURLToPath(new URL(`../../playground/src/${path}`, import.meta.url))
const SLOW_MS = 300_000

// The cheapest of them; all are made by one script.
it(
  'the recorded run of microservices is what its code makes now (else: node scripts/make-episodes.mjs)',
  async () => {
    const events = await EPISODES.microservices!(readFileSync(at('adaptation/pool.safetensors')))
    expect(recordedText(events)).toBe(readFileSync(at('microservices/recorded.json'), 'utf8'))
  },
  SLOW_MS,
)
