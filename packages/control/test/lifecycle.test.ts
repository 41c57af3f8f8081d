import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Lifecycle, type LifecycleProfile, type Stage } from '../src/index.js'

const profile: LifecycleProfile = {
  bootstrap: true,
  onlineReward: 130,
  servingReward: 160,
  servingDeviation: 5,
  window: 3,
  hysteresis: 1,
}

const stagesOf = (lifecycle: Lifecycle, rewards: number[]): Stage[] =>
  rewards.map((reward) => lifecycle.observe(reward))

/** A lifecycle brought to a stage by rewards that ask for nothing else. */
function at(stage: Stage, overrides: Partial<LifecycleProfile> = {}): Lifecycle {
  return new Lifecycle({ ...profile, ...overrides }, { stage, rewards: [], candidate: stage, agreed: 0 })
}

describe('Lifecycle (Algorithm 5.1)', () => {
  it('starts INITIALIZED and leaves it for OFFLINE when bootstrapping, for ONLINE otherwise', () => {
    const lifecycle = new Lifecycle(profile)
    expect(lifecycle.stage).toBe('initialized')
    expect(lifecycle.begin()).toBe('offline')
    expect(new Lifecycle({ ...profile, bootstrap: false }).begin()).toBe('online')
  })

  // Window 3, no hysteresis: each line is lines 9–21 of the algorithm by hand.
  it.each([
    ['OFFLINE → ONLINE when avg(R) reaches T_online', 'offline', [130, 130, 130], ['offline', 'offline', 'online']],
    ['OFFLINE stays below T_online', 'offline', [130, 130, 129, 131], ['offline', 'offline', 'offline', 'online']],
    ['OFFLINE does not mind the deviation', 'offline', [90, 130, 170], ['offline', 'offline', 'online']],
    ['ONLINE → SERVING when avg and std hold', 'online', [160, 165, 158], ['online', 'online', 'serving']],
    // mean 163.3, deviation 8.5
    ['ONLINE stays while rewards scatter', 'online', [155, 175, 160], ['online', 'online', 'online']],
    ['ONLINE stays below T_serving', 'online', [159, 159, 159], ['online', 'online', 'online']],
    // The windows are [160], [160 160], [160 160 159]: mean 159.7
    ['SERVING → ONLINE when avg falls', 'serving', [160, 160, 159], ['serving', 'serving', 'online']],
    // [160 180]: mean 170, deviation 10
    ['SERVING → ONLINE when rewards scatter', 'serving', [160, 180], ['serving', 'online']],
  ] as const)('%s', (_name, stage, rewards, stages) => {
    expect(stagesOf(at(stage), [...rewards])).toEqual(stages)
  })

  it('walks the whole life of an agent', () => {
    const lifecycle = new Lifecycle(profile)
    const rewards = [140, 140, 140, /* the agent begins */ 150, 162, 163, 164, /* serving */ 163, 120, 164, 163, 165]
    expect(stagesOf(lifecycle, rewards)).toEqual([
      'offline',
      'offline',
      'online',
      'online',
      'online', // 150, 162: the window is not full
      'online', // 150, 162, 163: mean 158.3
      'serving', // 162, 163, 164
      'serving',
      'online', // 163, 164, 120 scatter
      'online',
      'online',
      'serving', // 164, 163, 165
    ])
  })

  it('changes the stage only after two episodes in a row ask for it, by default', () => {
    const lifecycle = at('serving', { hysteresis: 2 })
    expect(stagesOf(lifecycle, [160, 150, 185, 150, 150])).toEqual(['serving', 'serving', 'online', 'online', 'online'])
    expect(stagesOf(at('serving', { hysteresis: 2 }), [160, 150, 170, 168])).toEqual([
      'serving',
      'serving', // mean 155: once
      'online', // 160 150 170 scatter by 8.2: twice
      'online',
    ])
    // A good episode in between starts the count anew.
    expect(stagesOf(at('serving', { hysteresis: 2, window: 1 }), [150, 160, 150, 160])).toEqual(
      Array(4).fill('serving'),
    )
  })

  it('takes 10 episodes and 2 more or less as its window and hysteresis by default', () => {
    const { window: _w, hysteresis: _h, ...defaults } = profile
    const stages = stagesOf(new Lifecycle(defaults), Array(12).fill(140))
    expect(stages.indexOf('online')).toBe(10) // the 10th fills the window, the 11th agrees
  })

  it('does not count what the rule earned as the agent’s reward', () => {
    // The rule's 170s would carry the agent straight to SERVING.
    expect(stagesOf(at('offline'), [170, 170, 170, 170, 170])).toEqual([
      'offline',
      'offline',
      'online',
      'online',
      'online',
    ])
  })

  it('goes back to OFFLINE below offlineReward, without waiting for a full window', () => {
    const lifecycle = at('online', { offlineReward: 120, window: 10, hysteresis: 2 })
    expect(stagesOf(lifecycle, [110, 110])).toEqual(['online', 'offline'])
    expect(stagesOf(at('serving', { offlineReward: 120, window: 10, hysteresis: 2 }), [110, 110])).toEqual([
      'serving',
      'offline',
    ])
    expect(stagesOf(at('online', { window: 10, hysteresis: 2 }), [0, 0, 0])).toEqual(['online', 'online', 'online'])
  })

  it('does not take a reward that is not finite as evidence', () => {
    const lifecycle = at('serving')
    expect(stagesOf(lifecycle, [160, Number.NaN, Number.NEGATIVE_INFINITY])).toEqual(['serving', 'serving', 'serving'])
    expect(lifecycle.mean).toBe(160)
  })

  it('goes on exactly where it was saved, through JSON', () => {
    const rewards = fc.array(fc.integer({ min: 100, max: 200 }), { maxLength: 40 })
    const profiles = fc.record({
      window: fc.integer({ min: 1, max: 4 }),
      hysteresis: fc.integer({ min: 1, max: 3 }),
      offlineReward: fc.integer({ min: 100, max: 150 }),
    })
    fc.assert(
      fc.property(rewards, rewards, profiles, (before, after, overrides) => {
        const whole = new Lifecycle({ ...profile, ...overrides })
        stagesOf(whole, before)
        const resumed = new Lifecycle({ ...profile, ...overrides }, JSON.parse(JSON.stringify(whole.save())))
        expect(stagesOf(resumed, after)).toEqual(stagesOf(whole, after))
      }),
    )
  })

  it('only ever takes the steps of the algorithm', () => {
    const allowed = ['offline→online', 'online→serving', 'serving→online', 'online→offline', 'serving→offline']
    fc.assert(
      fc.property(fc.array(fc.double({ noNaN: true, min: 0, max: 200 })), (rewards) => {
        const lifecycle = new Lifecycle({ ...profile, offlineReward: 80 })
        let stage = lifecycle.begin()
        for (const reward of rewards) {
          const next = lifecycle.observe(reward)
          if (next !== stage) expect(allowed).toContain(`${stage}→${next}`)
          stage = next
        }
      }),
    )
  })

  it('leaves SERVING on other evidence than rewards, forgets these, and only SERVING', () => {
    const lifecycle = at('serving', { window: 2 })
    stagesOf(lifecycle, [170, 170])
    lifecycle.retrain()
    expect([lifecycle.stage, lifecycle.mean]).toEqual(['online', Number.NaN])
    expect(stagesOf(lifecycle, [170, 170])).toEqual(['online', 'serving'])
    for (const stage of ['initialized', 'offline', 'online'] as const) {
      const other = at(stage)
      other.retrain()
      expect(other.stage).toBe(stage)
    }
  })

  it('reports every problem of its profile at once', () => {
    const refuse = () =>
      new Lifecycle({
        ...profile,
        onlineReward: Number.NaN,
        servingDeviation: -1,
        offlineReward: 170,
        window: 0,
        hysteresis: 1.5,
      })
    expect(refuse).toThrow(/onlineReward must be a number, got NaN/)
    expect(refuse).toThrow(/servingDeviation must be >= 0, got -1/)
    expect(refuse).toThrow(/offlineReward must not exceed servingReward, got 170 > 160/)
    expect(refuse).toThrow(/window must be a whole number >= 1, got 0; hysteresis must be a whole number >= 1, got 1.5/)
  })
})
