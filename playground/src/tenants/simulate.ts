// Many functions on one platform: tuned rules, SIMPPO as printed and the default of `trimtab tenants`, each with the same functions, loads and requests.
import { type Core, createCore } from 'trimtab/core'
import {
  bestInValidation,
  chooseDefault,
  DEFAULT_CANDIDATES,
  type JudgedRule,
  judgeArenaRules,
  runTenantsCell,
  type TenantsCell,
  type TenantVariantName,
} from 'trimtab/studies'
import {
  arenaSpec,
  judgeRule,
  SERVERLESS_ARENAS,
  ServerlessPlatform,
  type ServerlessSpec,
  TENANT_RULE_FAMILIES,
} from 'trimtab/tasks/serverless'
import type { LiveController } from '../run/controllers.js'
import { Diary } from './diary.js'
import type { TenantsEvent, TenantsOptions } from './protocol.js'

const ONE_EPISODE = { trainEpisodes: 1, judgedEpisodes: 1 } // rules are tuned on one a platform, everybody is judged by one
const IMITATION_EPISODES = 10
const PAPERS_RULE = 'ensure'

/** What each family of rules does. */
const NOTES: Readonly<Record<string, string>> = {
  demand: 'R containers for the largest demand of the last steps, and c√R more for chance',
  ensure: 'R + c√R containers for the demand of the last step; CPU shares follow latency (Suresh et al., 2020)',
  hpa: 'containers in proportion to CPU use, as Kubernetes scales pods',
  knative: 'containers for the requests in flight, in panic for the last few seconds of them',
  histogram: 'R + c√R while requests come; kept warm by how long a function was idle before (Shahrad et al., 2020)',
}

interface Judged {
  readonly controller: LiveController
  readonly diary: Diary
}

interface Learned {
  readonly cell: TenantsCell
  readonly diary: Diary
}

export async function* simulateTenants({
  arena: name,
  episodes,
  seed,
}: TenantsOptions): AsyncGenerator<TenantsEvent, void> {
  const core = await createCore()
  const arena = SERVERLESS_ARENAS.find((one) => one.name === name)!
  const judging = arenaSpec(core, arena, 'test', seed)

  const learning = ['simppo-full', ...DEFAULT_CANDIDATES] as const
  const parts = TENANT_RULE_FAMILIES.length + learning.length
  let part = 0
  const rules: JudgedRule[] = []
  for (const { name: family, label } of TENANT_RULE_FAMILIES) {
    yield { type: 'note', text: `computing: part ${++part} of ${parts}, tuning ${label}` }
    rules.push(...judgeArenaRules(core, { arena: name, seeds: [seed], ...ONE_EPISODE, families: [family] }).rules)
  }
  const best = bestInValidation({ rules })
  const papers = rules.find((rule) => rule.name === PAPERS_RULE)!
  const other = best === papers ? rules.find((rule) => rule !== papers)! : best
  const bestDiary = ruled(core, judging, best)

  const learned = new Map<TenantVariantName, Learned>()
  for (const variant of learning) {
    const who = WHAT_LEARNS[variant] ?? variant
    yield { type: 'note', text: `computing: part ${++part} of ${parts}, ${who} learns, ${episodes} episodes` }
    const diary = new Diary()
    const rule = { family: best.name, settings: best.settings }
    const spec = { arena: name, variant, seed, rule, episodes, imitationEpisodes: IMITATION_EPISODES, ...ONE_EPISODE }
    learned.set(variant, { cell: runTenantsCell(core, spec, (platform) => diary.note(platform)), diary })
  }
  const { chosen } = chooseDefault(
    best,
    DEFAULT_CANDIDATES.map((variant) => learned.get(variant)!.cell),
    0,
  )
  const byRule = (rule: JudgedRule, style: string): Judged => ({
    controller: { name: style, label: `${rule.label}, tuned`, kind: 'rule', note: NOTES[rule.name]! },
    diary: rule === best ? bestDiary : ruled(core, judging, rule),
  })
  yield* show(judging, [
    byRule(papers, 'hpa-vpa'),
    byRule(other, 'resize'),
    {
      controller: {
        ...{ name: 'simppo-full', label: 'SIMPPO as printed', kind: 'learner' },
        note: 'the paper’s agents: one a function, each told what the others do on average',
      },
      diary: learned.get('simppo-full')!.diary,
    },
    {
      controller: {
        ...{ name: 'trimtab', label: `Trimtab, ${defaultText(chosen, best)}`, kind: 'learner' },
        note: 'the best rule, or a policy that began as its imitation where that did better on platforms set aside',
      },
      diary: chosen === 'rule' ? bestDiary : learned.get(chosen)!.diary,
    },
  ])
}

const WHAT_LEARNS: Partial<Record<TenantVariantName, string>> = {
  'simppo-full': 'SIMPPO',
  corrected: 'what corrects a rule',
  priced: 'what imitates a rule',
}

/** What the default came to be. */
function defaultText(chosen: TenantVariantName | 'rule', { label }: JudgedRule): string {
  if (chosen === 'rule') return `stays with ${label}`
  return chosen === 'corrected' ? `corrects ${label}` : `learned from ${label}`
}

/** One episode of the platform that judges under a tuned rule. */
function ruled(core: Core, judging: ServerlessSpec, { name, settings }: JudgedRule): Diary {
  const family = TENANT_RULE_FAMILIES.find((one) => one.name === name)!
  const diary = new Diary()
  const platform = new ServerlessPlatform(core, judging)
  judgeRule(
    platform,
    [0],
    (_, site) => family.create(settings, site),
    (one) => diary.note(one),
  )
  platform.dispose()
  return diary
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
      'Trimtab’s is what 12 platforms set aside decided for: the best tuned rule, or what learned from it where that is surely better. Each of those has been judged by three episodes.',
    ],
  }
}

const percent = (share01: number): string => `${(100 * share01).toFixed(0)} %`
