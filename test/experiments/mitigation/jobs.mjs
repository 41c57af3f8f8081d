// Jobs of the worker pool: one application under one campaign with one way to mitigate, and the learning of an agent.
import { VARIANTS } from './agents.mjs'
import { policyOf } from './arms.mjs'
import { Judge } from './judge.mjs'
import { applicationOf, campaignOf, lifeOf } from './runs.mjs'

/** @returns figures of the whole run, and for each anomaly the seconds in the 20 s from its start in which an SLO was broken */
export async function mitigationCell({ arm, learned, ...spec }) {
  const judge = new Judge(applicationOf(spec.app))
  const ticks = lifeOf(spec, (setup) => policyOf(arm, { ...setup, learned }))
  for await (const { latest, outcomes } of ticks) judge.take(latest, outcomes)
  return judge.record(campaignOf(spec).anomalies)
}

/** @returns what the agent's policy is made of */
export const agentOf = ({ variant, ...spec }) => VARIANTS[variant].learn(spec)
