// From a pool to a model, and from the model to new applications, small enough to run in seconds.
import { type Core, createCore } from '@trimtab/core'
import { pretrain as pretrainHere } from '@trimtab/studies'
import { findTask } from '@trimtab/tasks'
import { beforeAll, describe, expect, it } from 'vitest'
import { parseRecords } from '../src/adaptation/records.js'
import { adapt } from '../src/commands/adapt.js'
import { embed } from '../src/commands/embed.js'
import { createPretrain } from '../src/commands/pretrain.js'
import { similarityCommand } from '../src/commands/similarity.js'
import { createFakeHost, type FakeHost } from './fake-host.js'

let core: Core
beforeAll(async () => {
  core = await createCore()
})

const pretrain = createPretrain((task, setup, { workers: _, ...hooks }) => pretrainHere(task, setup, hooks))
const CALL = ['autoscaling', '--pool', '8', '--rounds', '7', '--out', 'model']

const files = (host: FakeHost, name: string) => host.files.get(name)

/** Steps as a user would have written them down. */
function steps(pair: number, episodes = 1): string {
  const task = findTask('autoscaling')
  const world = task.environment(core, task.pool(core, pair, 1)[0])
  const lines: string[] = []
  for (let episode = 0; episode < episodes; episode++) {
    let observation = world.reset(episode)
    for (let i = 0; i < 40; i++) {
      const action = Float32Array.of(((i * 7) % 11) / 5 - 1, ((i * 3) % 11) / 5 - 1, ((i * 5) % 11) / 5 - 1)
      const step = world.step(action)
      lines.push(JSON.stringify({ episode, observation: [...observation], action: [...action], reward: step.reward }))
      observation = step.observation
    }
  }
  world.dispose()
  return lines.join('\n')
}

let once: Promise<FakeHost> | undefined

/** A host with what `CALL` left behind. */
async function pretrained(): Promise<FakeHost> {
  once ??= (async () => {
    const host = createFakeHost()
    expect(await pretrain.execute(CALL, host)).toBe(0)
    return host
  })()
  const host = createFakeHost()
  for (const [name, content] of (await once).files) host.files.set(name, content)
  return host
}

describe('trimtab pretrain', () => {
  it('writes a model, a line a round and the pool’s embeddings, and tells what to do next', async () => {
    const host = createFakeHost()
    expect(await pretrain.execute(CALL, host)).toBe(0)
    const records = parseRecords(files(host, 'model.jsonl') as string, 'log')
    expect(records.filter(({ event }) => event === 'round')).toHaveLength(7)
    expect(records.filter(({ event }) => event === 'embedding')).toHaveLength(8)
    expect(host.out()).toContain('trimtab adapt autoscaling --model model')
    for (const rest of ['model.checkpoint', 'model.jsonl.part']) expect(host.files.has(rest)).toBe(false)
  })

  it('goes on after an interruption as if there had been none, to the byte', async () => {
    const whole = await pretrained()
    const host = createFakeHost()
    const interrupted = createPretrain((task, setup, { workers: _, ...hooks }) =>
      pretrainHere(task, setup, {
        ...hooks,
        async onRound(report, round) {
          await hooks.onRound?.(report, round)
          if (round === 6) throw new Error('killed')
        },
      }),
    )
    await expect(interrupted.execute(CALL, host)).rejects.toThrow('killed')
    expect(host.files.has('model.checkpoint')).toBe(true)
    const again = createFakeHost()
    for (const [name, content] of host.files) again.files.set(name, content)
    expect(await pretrain.execute(CALL, again)).toBe(0)
    expect(files(again, 'model')).toEqual(files(whole, 'model'))
    expect(files(again, 'model.jsonl')).toEqual(files(whole, 'model.jsonl'))
    expect(again.err()).toContain('going on from model.checkpoint')
  })

  it('leaves the model, the log and the report of an earlier run alone until it is done', async () => {
    const host = createFakeHost()
    for (const name of ['model', 'model.jsonl', 'page.html']) host.files.set(name, `older ${name}`)
    const broken = createPretrain(async (_task, setup, hooks) => {
      await hooks.onRound?.({ reward: 1, episodes: 8, updates: 0, skipped: 0 }, 1)
      throw new Error(`killed in round 2 of ${setup.rounds}`)
    })
    await expect(broken.execute([...CALL, '--report', 'page.html'], host)).rejects.toThrow(/killed/)
    for (const name of ['model', 'model.jsonl', 'page.html']) expect(files(host, name)).toBe(`older ${name}`)
    expect(files(host, 'model.jsonl.part')).toMatch(/^{"event":"round","round":1,.*}\n$/)
  })

  it('keeps the rounds before a line of the log that a kill cut short', async () => {
    const host = createFakeHost()
    const round = { event: 'round', round: 1, reward: 1, episodes: 8, updates: 0, skipped: 0 }
    host.files.set('model.checkpoint', Uint8Array.of(1))
    host.files.set('model.jsonl.part', `${JSON.stringify(round)}\n{"event":"rou`)
    const seen = createPretrain(() => Promise.reject(new Error('enough')))
    await expect(seen.execute(CALL, host)).rejects.toThrow('enough')
    expect(files(host, 'model.jsonl.part')).toBe(`${JSON.stringify(round)}\n`)
  })

  it('refuses the checkpoint of another pretraining', async () => {
    const host = createFakeHost()
    host.files.set('model.checkpoint', Uint8Array.of(2, 0, 0, 0, 123, 125))
    await expect(pretrain.execute(CALL, host)).rejects.toThrow(
      expect.objectContaining({ code: 'checkpoint_other_setup' }),
    )
  })

  it.each(['cpu-frequency', 'congestion-control'])(
    'teaches %s, whose learner is no DDPG, and adapts it',
    async (task) => {
      const host = createFakeHost()
      const pool = [task, '--first', '0', '--pool', '8', '--rounds', '3', '--out', 'model']
      expect(await pretrain.execute(pool, host)).toBe(0)
      const argv = [task, '--model', 'model', '--first', '100', '--pairs', '1', '--episodes', '2', '--log', 'log']
      expect(await adapt.execute(argv, host)).toBeLessThan(2) // after three rounds it need not be the better one
      expect(parseRecords(files(host, 'log') as string, 'log')).toHaveLength(6)
    },
  )

  it.each([
    [['nothing'], /no task in which something acts/],
    [[], /name one task/],
    [['autoscaling', '--out', '/forbidden/model'], /cannot be written/],
  ])('refuses %j', async (argv, message) => {
    await expect(pretrain.execute(argv, createFakeHost())).rejects.toThrow(message)
  })
})

describe('a pretrained model', () => {
  it('adapts to new applications from far above a learner from scratch', async () => {
    const host = await pretrained()
    const argv = ['autoscaling', '--model', 'model', '--pairs', '2', '--episodes', '1', '--json', '--log', 'log']
    expect(await adapt.execute(argv, host)).toBe(0)
    const { rows } = JSON.parse(host.out().split('\n').at(-2)!)
    expect(Number(rows[0][1])).toBeGreaterThan(Number(rows[1][1]))
    expect(parseRecords(files(host, 'log') as string, 'log')).toHaveLength(8)
  })

  it('tells what steps come from and what adapting would cost', async () => {
    const host = await pretrained()
    host.files.set('steps', steps(20_000))
    const code = await embed.execute(['steps', '--model', 'model', '--json'], host)
    const found = JSON.parse(host.out().split('\n').at(-2)!)
    expect(found.z).toHaveLength(16)
    expect(found.nearest.pair).toMatch(/^pair-20[0-7]$/)
    expect(found.estimate.drop.low).toBeLessThanOrEqual(found.estimate.drop.high)
    expect(code).toBe(found.distance.isOutOfDistribution ? 1 : 0)
  })

  it('finds an application most like itself', async () => {
    const host = await pretrained()
    host.files.set('a', steps(20_000))
    host.files.set('b', steps(20_001))
    const compare = async (a: string, b: string): Promise<number> => {
      expect(await similarityCommand.execute([a, b, '--model', 'model', '--json'], host)).toBe(0)
      return JSON.parse(host.out().split('\n').at(-2)!).similarity
    }
    expect(await compare('a', 'a')).toBeCloseTo(1, 6)
    expect(await compare('a', 'b')).toBeLessThan(1)
  })

  it.each([
    ['{"observation": [1], "action": [], "reward": 1}', /line 1: observation must be 12/],
    [
      JSON.stringify({ observation: Array(12).fill(1e300), action: [0, 0, 0], reward: 1 }),
      /line 1: observation must be 12 finite numbers of single precision/,
    ],
    ['no json', /line 1: no JSON/],
    ['', /holds no steps/],
  ])('refuses steps like %j', async (line, message) => {
    const host = await pretrained()
    host.files.set('steps', line)
    await expect(embed.execute(['steps', '--model', 'model'], host)).rejects.toThrow(message)
  })

  it.each([3, 100, 5000])('is refused whole when only %i bytes of it are there', async (length) => {
    const host = await pretrained()
    host.files.set('model', (files(host, 'model') as Uint8Array).slice(0, length))
    host.files.set('steps', steps(20_000))
    await expect(embed.execute(['steps', '--model', 'model'], host)).rejects.toThrow(/--model model cannot be used/)
  })
})
