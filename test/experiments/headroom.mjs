// Where there is something to learn: what knowing the load gains over the best tuned rule, in every arena of the serverless task.
import { createCore } from '@trimtab/core'
import { judgeArenaRules } from '@trimtab/studies'
import { SERVERLESS_ARENAS } from '@trimtab/tasks/serverless'
import { report } from './headroom/report.mjs'

const GATE = {
  arenas: SERVERLESS_ARENAS.map(({ name }) => name),
  seeds: [0, 1, 2, 3, 4, 5],
  trainEpisodes: 2,
  testEpisodes: 4,
}

/** seeds: of the platforms that are judged on; rules are tuned on another one, once for each arena. */
export const SCALES = {
  smoke: { arenas: ['standard-5'], seeds: [0, 1], trainEpisodes: 2, testEpisodes: 2 },
  gate: GATE,
  paper: { ...GATE, seeds: Array.from({ length: 12 }, (_, seed) => seed), trainEpisodes: 12, testEpisodes: 20 },
}

export async function run(scaleName, progress) {
  const scale = SCALES[scaleName]
  const core = await createCore()
  const { seeds, trainEpisodes, testEpisodes: judgedEpisodes } = scale
  const results = scale.arenas.map((arena) =>
    judgeArenaRules(core, { arena, seeds, trainEpisodes, judgedEpisodes }, (rule) => progress(`${arena}: ${rule}`)),
  )
  return report({ scaleName, scale, results })
}
