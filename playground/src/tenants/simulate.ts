// Many functions on one platform: tuned rules, SIMPPO as printed and learned corrections of a rule, each with the same functions, loads and requests.
import { type Controller, type Core, createCore } from 'trimtab/core'
import { evaluateMany, type ManyController, ruleOfEach } from 'trimtab/learn'
import { learnPolicies, PolicyGroups, TENANT_VARIANTS, type TenantVariantName } from 'trimtab/studies'
import {
  arenaSpec,
  SERVERLESS_ARENAS,
  SERVERLESS_PRESETS,
  ServerlessEnvironment,
  ServerlessPlatform,
  type ServerlessSpec,
  siteOf,
  TENANT_RULE_FAMILIES,
  TenantController,
  tuneTenantRule,
} from 'trimtab/tasks/serverless'
import type { LiveController } from '../run/controllers.js'
import { Diary } from './diary.js'
import type { TenantsEvent, TenantsOptions } from './protocol.js'

const LEARNING_PLATFORMS = [0, 1]
const CHECKING_PLATFORM = 4
const IMITATION_EPISODES = 10
const TUNING_SEED = 1
const RULES = ['ensure', 'hpa', 'demand']

interface TunedRule {
  readonly name: string
  readonly label: string
  readonly settings: object
  readonly score: number
  /** The rule of one tenant in a world, as a controller of its actions. */
  in(world: ServerlessEnvironment): (agent: number) => Controller
  readonly adviser: ConstructorParameters<typeof ServerlessEnvironment>[3]
}

interface Judged {
  readonly controller: LiveController
  readonly diary: Diary
}

export async function* simulateTenants({
  arena: name,
  episodes,
  seed,
}: TenantsOptions): AsyncGenerator<TenantsEvent, void> {
  const core = await createCore()
  const arena = SERVERLESS_ARENAS.find((one) => one.name === name)!
  const platforms = LEARNING_PLATFORMS.map((platform) => arenaSpec(core, arena, 'train', platform))
  const judging = arenaSpec(core, arena, 'test', seed)

  const rules: TunedRule[] = []
  for (const family of RULES) {
    yield { type: 'note', text: `computing: tuning rules, ${rules.length + 1} of ${RULES.length}` }
    rules.push(tuned(core, platforms, family))
  }
  const best = rules.reduce((a, b) => (b.score > a.score ? b : a))
  const shownRules = [rules[0]!, best === rules[0] ? rules[1]! : best]
  const judged: Judged[] = shownRules.map((rule) => ({
    controller: { name: rule === shownRules[0] ? 'hpa-vpa' : 'resize', label: `${rule.label}, tuned`, kind: 'rule' },
    diary: judge(createWorld(core, judging, 'priced', rule), seed, rule, (world) => rulesIn(world, rule)),
  }))

  for (const variant of ['simppo-full', 'corrected'] as const) {
    const isOurs = variant === 'corrected'
    yield {
      type: 'note',
      text: `computing: ${isOurs ? 'what corrects a rule' : 'SIMPPO'} learns, ${episodes} episodes`,
    }
    const controller: LiveController = {
      name: isOurs ? 'trimtab' : variant,
      label: isOurs ? `Trimtab, corrects ${best.label}` : 'SIMPPO as printed',
      kind: 'learner',
    }
    judged.push({
      controller,
      diary: learnAndJudge(core, { variant, platforms, arena, judging, rule: best, episodes, seed }),
    })
  }
  yield* show(judging, judged)
}

function* show(
  { tenants, episodeSteps, stepSeconds }: ServerlessSpec,
  judged: readonly Judged[],
): Generator<TenantsEvent, void> {
  const names = tenants.map(({ functions }) => functions[0]!)
  const controllers = judged.map(({ controller }) => controller)
  yield { type: 'start', controllers, tenants: names, steps: episodeSteps, stepSeconds }
  for (let step = 0; step < judged[0]!.diary.steps.length; step++) {
    const now = judged.map(({ diary }) => diary.steps[step]!)
    yield {
      type: 'step',
      step: step + 1,
      p99OverSlo: now.map(({ p99OverSlo }) => p99OverSlo),
      brokenPercent: now.map(({ brokenPercent }) => brokenPercent),
      containers: now.map(({ containers }) => containers),
      score: now.map(({ score }) => score),
    }
  }
  const rows = judged.map(({ controller, diary }) => {
    const { score, violation01, worstViolation01, containers, coldStartsPerHour } = diary.record()
    const worst = worstViolation01 > 0 ? `${percent(worstViolation01)} ${names[diary.worstTenant()]}` : 'nobody'
    const cells = [score.toFixed(3), percent(violation01), worst, containers.toFixed(1), coldStartsPerHour.toFixed(0)]
    return { controller, cells }
  })
  yield {
    type: 'done',
    table: { heads: ['J', 'over SLO', 'worst tenant', 'containers', 'cold starts/h'], rows },
    findings: [
      'J = reward − .3 · violations, reward = .7 SLO kept + .3 utilisation; means over tenants and steps of one episode, which no one has learned from or been tuned on.',
    ],
  }
}

const percent = (share01: number): string => `${(100 * share01).toFixed(0)} %`

function tuned(core: Core, specs: readonly ServerlessSpec[], name: string): TunedRule {
  const family = TENANT_RULE_FAMILIES.find((one) => one.name === name)!
  const platforms = specs.map((spec) => new ServerlessPlatform(core, spec))
  const { settings, score } = tuneTenantRule(core, platforms, family, [0], TUNING_SEED)
  for (const platform of platforms) platform.dispose()
  return {
    ...{ name, label: family.label, settings, score },
    in: (world) => (agent) =>
      new TenantController(world, agent, family.create(settings, siteOf(world.platform, agent))),
    adviser: (_, site) => family.create(settings, site),
  }
}

const createWorld = (
  core: Core,
  spec: ServerlessSpec,
  presetName: keyof typeof SERVERLESS_PRESETS,
  { adviser }: TunedRule,
): ServerlessEnvironment => {
  const preset = SERVERLESS_PRESETS[presetName]
  return new ServerlessEnvironment(core, spec, preset, preset.action.isCorrection ? adviser : undefined)
}

const rulesIn = (world: ServerlessEnvironment, rule: TunedRule): ManyController =>
  ruleOfEach(Array.from({ length: world.agents }, (_, agent) => rule.in(world)(agent)))

/** One episode of a world, which is disposed of. */
function judge(
  world: ServerlessEnvironment,
  seed: number,
  rule: TunedRule,
  controllerIn: (world: ServerlessEnvironment) => ManyController,
): Diary {
  const diary = new Diary()
  const onStep = (): void => diary.note(world.platform)
  evaluateMany(controllerIn(world), world, { seeds: [seed], rule: rule.in(world), onStep })
  world.dispose()
  return diary
}

interface Learning {
  readonly variant: TenantVariantName
  readonly platforms: readonly ServerlessSpec[]
  readonly arena: (typeof SERVERLESS_ARENAS)[number]
  readonly judging: ServerlessSpec
  readonly rule: TunedRule
  readonly episodes: number
  readonly seed: number
}

function learnAndJudge(
  core: Core,
  { variant: name, platforms, arena, judging, rule, episodes, seed }: Learning,
): Diary {
  const variant = TENANT_VARIANTS[name]
  const worldOf = (spec: ServerlessSpec) => createWorld(core, spec, variant.preset(arena), rule)
  const checking = variant.start === 'rule' ? [worldOf(arenaSpec(core, arena, 'train', CHECKING_PLATFORM))] : []
  const learned = learnPolicies(
    core,
    variant,
    { learning: platforms.map(worldOf), checking },
    {
      ...{ seed, episodes, imitationEpisodes: IMITATION_EPISODES },
      rule: { family: rule.name, settings: rule.settings },
    },
  )
  const staysRule = variant.start === 'rule' && learned.keptEpisodes === 0
  const diary = judge(worldOf(judging), seed, rule, (world) =>
    staysRule ? rulesIn(world, rule) : new PolicyGroups(variant.label, learned.groups, world),
  )
  for (const { policy } of learned.groups) policy.dispose()
  return diary
}
