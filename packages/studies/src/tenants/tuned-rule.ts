import type { Controller, Core } from '@trimtab/core'
import { type ManyController, ruleOfEach } from '@trimtab/learn'
import {
  type MakeRule,
  SERVERLESS_PRESETS,
  ServerlessEnvironment,
  type ServerlessPresetName,
  type ServerlessSpec,
  siteOf,
  TENANT_RULE_FAMILIES,
  TenantController,
} from '@trimtab/tasks/serverless'

/** A rule and what it was tuned to. Plain JSON. */
export interface TunedTenantRule {
  /** Name of a family of rules. */
  readonly family: string
  readonly settings: object
}

/** Makes each tenant's rule. */
export function makerOf({ family: name, settings }: TunedTenantRule): MakeRule {
  const family = TENANT_RULE_FAMILIES.find((one) => one.name === name)!
  return (_, site) => family.create(settings, site)
}

/** Makes the rule of each agent in a world, as a controller of its actions. */
export function ruleOfAgent(world: ServerlessEnvironment, rule: TunedTenantRule): (agent: number) => Controller {
  const make = makerOf(rule)
  return (agent) => new TenantController(world, agent, make(agent, siteOf(world.platform, agent)))
}

/** The rules of all agents in a world, as one controller. */
export function rulesIn(world: ServerlessEnvironment, rule: TunedTenantRule): ManyController {
  return ruleOfEach(Array.from({ length: world.agents }, (_, agent) => ruleOfAgent(world, rule)(agent)))
}

/** A platform as the agents of a preset meet it; the rule advises those that correct it. */
export function createWorld(
  core: Core,
  platform: ServerlessSpec,
  presetName: ServerlessPresetName,
  rule: TunedTenantRule,
): ServerlessEnvironment {
  const preset = SERVERLESS_PRESETS[presetName]
  return new ServerlessEnvironment(core, platform, preset, preset.action.isCorrection && makerOf(rule))
}
