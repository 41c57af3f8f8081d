import { ConfigError, type Controller, Problems } from '@trimtab/core'
import type { GlobalVariable } from '@trimtab/learn'
import type { LoadedModel } from './category-models.js'
import type { PresenceOptions } from './presence.js'

/** One process of a team, and what its agents act by. */
export interface TeamMemberOptions extends PresenceOptions {
  /** [K], what each agent tells, e.g. `PAPER_GLOBALS` of `@trimtab/tasks/serverless`; the same in all members. */
  readonly variables: readonly GlobalVariable[]
  /** Makes a controller of a base model, e.g. `(bytes) => loadPolicy(core, bytes, { agents: 256 })`. */
  readonly load: (bytes: Uint8Array) => LoadedModel
  /** Makes the rule of an agent: it acts wherever no model can. */
  readonly rule: (agent: string, category: string) => Controller
}

const OPTIONS: readonly (keyof TeamMemberOptions)[] = [
  'name',
  'transport',
  'variables',
  'clock',
  'heartbeatMs',
  'load',
  'rule',
  'logger',
]

const NAME = /^[\w-]+(\.[\w-]+)*$/
const LONGEST_NAME = 128

/** Names of members, categories and teams travel in addresses of messages. */
export const isTeamName = (name: unknown): name is string =>
  typeof name === 'string' && name.length <= LONGEST_NAME && NAME.test(name)

const TEAM_NAME = `letters, digits, "_", "-" and single dots between them, at most ${LONGEST_NAME}`

/** @throws {ConfigError} `config_invalid` */
export function requireTeamName(what: string, name: unknown): void {
  if (!isTeamName(name)) throw new ConfigError('config_invalid', `${what} must be ${TEAM_NAME}, got "${String(name)}"`)
}

/** @throws {ConfigError} `config_invalid` with every problem found */
export function checkMemberOptions(options: TeamMemberOptions): void {
  const { name, variables, heartbeatMs } = options
  const problems = new Problems()
  problems.checkKeys(options, OPTIONS, 'options')
  problems.check(isTeamName(name), `name must be ${TEAM_NAME}, got "${String(name)}"`)
  problems.check(variables.length > 0, 'variables must name at least one number of an agent')
  problems.check(
    Number.isFinite(heartbeatMs) && heartbeatMs > 0,
    `heartbeatMs must be a number > 0, got ${heartbeatMs}`,
  )
  problems.throwIfAny('team member')
}
