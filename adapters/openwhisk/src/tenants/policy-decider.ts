import { InProcessTransport, TeamMember } from '@trimtab/control'
import { type Clock, type Controller, type Core, FormatError, type Logger } from '@trimtab/core'
import { checkPurpose, loadPolicy, type PolicyHeader, readPolicyFile } from '@trimtab/learn'
import {
  type ClusterScale,
  featureSpace,
  PAPER_GLOBALS,
  SERVERLESS_PRESETS,
  type ServerlessPreset,
  type ServerlessPresetName,
} from '@trimtab/tasks/serverless'
import type { TenantDecider } from './run-tenants.js'
import { TEAM_CATEGORY, TeamDecider } from './team-decider.js'

/** How a policy file is put to work. */
export interface PolicyDeciderOptions {
  /** What numbers are measured against here. */
  readonly scale: ClusterScale
  /** Decide where the policy cannot. */
  readonly rules: TenantDecider
  /** Between two decisions. */
  readonly stepMs: number
  readonly logger?: Logger
  /** Default: the host's. */
  readonly clock?: Clock
}

const AGENTS_AT_A_TIME = 64

/** A rule asks for an allocation, not for an action: in a team of these it is the decider that has rules. */
const NO_ACTION: Controller = { name: 'none', decide: (_, out) => void out.fill(Number.NaN) }

/**
 * A policy file decides for all functions, in a team of this process alone. It sees and does what the preset says that it names.
 *
 * @throws {FormatError} those of `readPolicyFile` and `checkPurpose`; `policy_preset_unknown`
 */
export async function decideByPolicy(
  core: Core,
  bytes: Uint8Array,
  options: PolicyDeciderOptions,
): Promise<TeamDecider> {
  const { scale, rules, stepMs: heartbeatMs, logger, clock = performance } = options
  const { header } = readPolicyFile(bytes)
  const preset = presetOf(header)
  const transport = new InProcessTransport()
  await transport.models.replace(TEAM_CATEGORY, bytes, 0)
  const member = new TeamMember({
    ...{ name: 'platform', transport, clock, heartbeatMs, variables: PAPER_GLOBALS },
    load: (model) => loadPolicy(core, model, { agents: AGENTS_AT_A_TIME }),
    rule: () => NO_ACTION,
    ...(logger && { logger }),
  })
  await member.settled()
  return new TeamDecider({ member, preset, scale, rules })
}

function presetOf(header: PolicyHeader): ServerlessPreset {
  const preset = SERVERLESS_PRESETS[header.preset as ServerlessPresetName] as ServerlessPreset | undefined
  if (!preset) {
    const known = Object.keys(SERVERLESS_PRESETS).join(', ')
    throw new FormatError('policy_preset_unknown', `the policy's preset is "${header.preset}", known are ${known}`)
  }
  const { observation, action } = preset
  checkPurpose(header, {
    ...header,
    ...{ algorithm: 'ppo', task: 'serverless', observation: featureSpace(observation), action: action.space },
  })
  return preset
}
