import { describe, expect, it } from 'vitest'
import { ActivationFeed, ApiActuator, LimitsActuator, WarmUps, WhiskTenants } from '../src/index.js'

const client = {} as never

describe('options', () => {
  it.each<[string, () => unknown, RegExp]>([
    [
      'limits',
      () => new LimitsActuator({ client, coolDownSeconds: NaN, mostChanges: 0, dryrun: true } as never),
      /dryrun is no option.*coolDownSeconds.*mostChanges/,
    ],
    [
      'the api mode',
      () => new ApiActuator({ client, leastChange01: -1, invoker: { userMemoryMiB: 0, totalShares: NaN } }),
      /leastChange01.*userMemoryMiB.*totalShares/,
    ],
    ['the api mode', () => new ApiActuator({ client, dryrun: true } as never), /dryrun is no option/],
    [
      'warm-ups',
      () => new WarmUps({ client, most: -1, share01: 2, waitMs: 0, least: 1 } as never),
      /least is no option.*most.*share01.*waitMs/,
    ],
    [
      'activations',
      () => new ActivationFeed({ client, lookbackMs: 0, mostPages: 0, pages: 1 } as never),
      /pages is no option.*lookbackMs.*mostPages/,
    ],
    [
      'tenants',
      () => {
        const twice = { action: 'hello', sloMs: 0 }
        return new WhiskTenants({ tenants: [twice, twice], source: client, actuator: client })
      },
      /different actions.*sloMs of hello/,
    ],
  ])('of %s that are none are all named', (_, make, message) => {
    expect(make).toThrow(message)
    expect(make).toThrow(expect.objectContaining({ code: 'config_invalid' }))
  })
})
