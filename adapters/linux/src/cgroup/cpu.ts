// CPU time: a quota of each period (CFS bandwidth control), and a weight.
// Source: the kernel's scheduler/sched-bwc.rst and cgroup-v2.rst.
import { counterOf, type Driver, numberOf, type ReadFile, type Setting, valueSetting } from './driver.js'

const DEFAULT_PERIOD_US = 100_000
const LEAST_QUOTA_US = 1000 // below 1 ms a period the kernel refuses
export const SHARES = { least: 2, most: 262_144 } as const
const WEIGHTS = { least: 1, most: 10_000 } as const

const quotaOf = (cores: number, periodUs: number): string | undefined =>
  cores === Number.POSITIVE_INFINITY ? undefined : `${Math.max(LEAST_QUOTA_US, Math.round(cores * periodUs))}`

const coresOf = (quota: string | undefined, period: string | undefined): number =>
  quota === '-1' || quota === 'max' ? Number.POSITIVE_INFINITY : numberOf(quota) / numberOf(period)

const equals = (text: string) => (now: string) => now === text

const clamp = (value: number, { least, most }: { readonly least: number; readonly most: number }): number =>
  Math.min(most, Math.max(least, Math.round(value)))

export const cpuV1: Driver = {
  settings({ cpuCores, cpuShares }, read) {
    const settings: Setting[] = []
    if (cpuCores !== undefined) {
      const quota = quotaOf(cpuCores, numberOf(read('cpu.cfs_period_us')) || DEFAULT_PERIOD_US) ?? '-1'
      settings.push(valueSetting('cpu.cfs_quota_us', quota, equals(quota)))
    }
    if (cpuShares !== undefined) {
      const shares = `${clamp(cpuShares, SHARES)}`
      settings.push(valueSetting('cpu.shares', shares, equals(shares)))
    }
    return settings
  },
  limits: (read) => ({
    cpuCores: coresOf(read('cpu.cfs_quota_us'), read('cpu.cfs_period_us')),
    cpuShares: numberOf(read('cpu.shares')),
  }),
  usage(read) {
    const stat = read('cpu.stat')
    return {
      cpuPeriods: counterOf(stat, 'nr_periods'),
      cpuThrottledPeriods: counterOf(stat, 'nr_throttled'),
      cpuThrottledMicroseconds: counterOf(stat, 'throttled_time') / 1000, // ns
    }
  },
}

export const cpuacctV1: Driver = {
  settings: () => [],
  limits: () => ({}),
  usage: (read) => ({ cpuMicroseconds: numberOf(read('cpuacct.usage')) / 1000 }), // ns
}

/** As runc and Kubernetes translate: 2 … 262,144 shares are weights of 1 … 10,000. */
export const toWeight = (shares: number): number =>
  WEIGHTS.least +
  Math.floor(((clamp(shares, SHARES) - SHARES.least) * (WEIGHTS.most - WEIGHTS.least)) / (SHARES.most - SHARES.least))
/** The least shares that have this weight. */
export const toShares = (weight: number): number =>
  SHARES.least + Math.ceil(((weight - WEIGHTS.least) * (SHARES.most - SHARES.least)) / (WEIGHTS.most - WEIGHTS.least))

const quotaAndPeriod = (read: ReadFile): readonly string[] => read('cpu.max')?.split(' ') ?? []

export const cpuV2: Driver = {
  settings({ cpuCores, cpuShares }, read) {
    const settings: Setting[] = []
    if (cpuCores !== undefined) {
      const period = quotaAndPeriod(read)[1] ?? `${DEFAULT_PERIOD_US}`
      const text = `${quotaOf(cpuCores, Number(period)) ?? 'max'} ${period}`
      settings.push(valueSetting('cpu.max', text, equals(text)))
    }
    if (cpuShares !== undefined) {
      const weight = `${toWeight(cpuShares)}`
      settings.push(valueSetting('cpu.weight', weight, equals(weight)))
    }
    return settings
  },
  limits(read) {
    const [quota, period] = quotaAndPeriod(read)
    return { cpuCores: coresOf(quota, period), cpuShares: toShares(numberOf(read('cpu.weight'))) }
  },
  usage(read) {
    const stat = read('cpu.stat')
    return {
      cpuMicroseconds: counterOf(stat, 'usage_usec'),
      cpuPeriods: counterOf(stat, 'nr_periods'),
      cpuThrottledPeriods: counterOf(stat, 'nr_throttled'),
      cpuThrottledMicroseconds: counterOf(stat, 'throttled_usec'),
    }
  },
}
