import { Random } from '@trimtab/core'
import { createTraceCore, type TraceCore } from '@trimtab/core/trace'
import { beforeAll, describe, expect, it } from 'vitest'
import { CriticalComponentClassifier, type LabelledComponent } from '../../src/index.js'

let core: TraceCore
beforeAll(async () => {
  core = await createTraceCore()
})

/** (RI, CI): critical where both are large, which neither of them says alone. */
function components(n: number, seed: number, wrong = 0): LabelledComponent[] {
  const random = new Random(core, seed)
  return Array.from({ length: n }, () => {
    const [importance, congestion] = [random.uniform(), 1 + 10 * random.uniform()]
    const isCritical = importance > 0.4 && congestion > 4
    return { features: [importance, congestion], isCritical: isCritical !== random.uniform() < wrong }
  })
}

const accuracy = (classifier: CriticalComponentClassifier, list: readonly LabelledComponent[]): number =>
  list.filter(({ features, isCritical }) => classifier.decide(features).isCritical === isCritical).length / list.length

function taught(seed = 1, wrong = 0): CriticalComponentClassifier {
  const classifier = new CriticalComponentClassifier(core, { features: 'paper', seed, missCost: 1 })
  classifier.learn(components(2000, 10, wrong), 5)
  return classifier
}

describe('learning', () => {
  it('finds what two features say together', () => {
    expect(accuracy(taught(), components(2000, 11))).toBeGreaterThan(0.96)
  })

  it('stands one wrong label in ten', () => {
    expect(accuracy(taught(1, 0.1), components(2000, 11))).toBeGreaterThan(0.93)
  })

  it('is not misled by labels that nobody believes', () => {
    const doubtful = components(2000, 12).map(({ features }) => ({ features, isCritical: true, weight: 0 }))
    const classifier = new CriticalComponentClassifier(core, { features: 'paper' })
    classifier.learn([...components(2000, 10), ...doubtful], 5)
    expect(accuracy(classifier, components(2000, 11))).toBeGreaterThan(0.95)
  })

  it('follows when the world changes', () => {
    const classifier = taught()
    const turned = (n: number, seed: number): LabelledComponent[] =>
      components(n, seed).map(({ features, isCritical }) => ({ features, isCritical: !isCritical }))
    expect(accuracy(classifier, turned(2000, 13))).toBeLessThan(0.1)
    classifier.learn(turned(4000, 14), 10)
    expect(accuracy(classifier, turned(2000, 13))).toBeGreaterThan(0.9)
  })

  it('gives the same bits for the same seed and batches', () => {
    expect(taught(5).save()).toBe(taught(5).save())
    expect(taught(5).decide([0.5, 5])).not.toEqual(taught(6).decide([0.5, 5]))
  })

  it('finds more of the critical ones when missing one costs more', () => {
    const found = (missCost: number): number => {
      const classifier = new CriticalComponentClassifier(core, { features: 'paper', missCost })
      classifier.learn(components(2000, 10, 0.1), 5)
      return components(2000, 11).filter(({ features }) => classifier.decide(features).isCritical).length
    }
    expect(found(8)).toBeGreaterThan(found(1))
  })

  it('refuses features of another width and learns nothing of the batch', () => {
    const classifier = taught()
    const before = classifier.save()
    const learn = (): void => classifier.learn([...components(3, 1), { features: [1, 2, 3], isCritical: true }])
    expect(learn).toThrow(expect.objectContaining({ code: 'size_mismatch' }))
    expect(() => classifier.decide([1, Number.NaN])).toThrow(expect.objectContaining({ code: 'value_invalid' }))
    expect(classifier.save()).toBe(before)
  })
})

describe('calibration', () => {
  it('keeps to the wished false-positive rate on components it has not seen', () => {
    const classifier = taught(1, 0.1)
    classifier.calibrate(components(4000, 20, 0.1), 0.05)
    const healthy = components(4000, 21, 0.1).filter(({ isCritical }) => !isCritical)
    const alarms = healthy.filter(({ features }) => classifier.decide(features).isCritical).length
    expect(alarms / healthy.length).toBeGreaterThan(0.03)
    expect(alarms / healthy.length).toBeLessThan(0.07)
  })

  it('moves its threshold when other false alarms are wished, and not before it was calibrated', () => {
    const classifier = taught(1, 0.1)
    expect(() => classifier.operateAt(0.1)).toThrow(expect.objectContaining({ code: 'not_calibrated' }))
    classifier.calibrate(components(4000, 20, 0.1), 0.05)
    const strict = classifier.calibration!.operatingPoint
    const loose = classifier.operateAt(0.3)
    expect(loose.threshold).toBeLessThan(strict.threshold)
    expect(loose.falsePositiveRate).toBeLessThanOrEqual(0.3)
    expect(classifier.calibration!.operatingPoint).toEqual(loose)
  })

  it('gives probabilities that come true', () => {
    const classifier = taught(1, 0.1)
    classifier.calibrate(components(4000, 20, 0.1))
    const seen = components(4000, 21, 0.1).map(({ features, isCritical }) => ({
      probability: classifier.decide(features).probability!,
      isCritical,
    }))
    for (const [low, high] of [
      [0, 0.2],
      [0.2, 0.8],
      [0.8, 1],
    ] as const) {
      const band = seen.filter(({ probability }) => probability >= low && probability < high)
      const said = band.reduce((sum, { probability }) => sum + probability, 0) / band.length
      const true_ = band.filter(({ isCritical }) => isCritical).length / band.length
      expect(Math.abs(said - true_)).toBeLessThan(0.12)
    }
  })

  it('is silent about probabilities before it happened', () => {
    expect(taught().decide([0.5, 5]).probability).toBeUndefined()
    expect(taught().drift([[0.5, 5]])).toEqual([])
    expect(taught().describe()).toContain('not calibrated')
  })

  it('notices components that are not like those it knows', () => {
    const classifier = taught()
    classifier.calibrate(components(2000, 20))
    const rows = components(300, 21).map(({ features }) => features)
    expect(classifier.drift(rows).filter(({ isDrifted }) => isDrifted)).toEqual([])
    const moved = rows.map((row) => [row[0]!, 4 * row[1]!])
    const drifted = classifier.drift(moved).filter(({ isDrifted }) => isDrifted)
    expect(drifted.map(({ feature }) => feature)).toEqual(['congestionIntensity'])
  })
})

describe('saving', () => {
  it('goes on exactly, in learning, in deciding and in what is known of it', async () => {
    const classifier = taught()
    classifier.trainedOn = 'a test'
    classifier.calibrate(components(500, 20))
    const other = CriticalComponentClassifier.load(await createTraceCore(), classifier.save())
    expect(other.save()).toBe(classifier.save())
    expect(other.describe()).toBe(classifier.describe())
    for (const each of [classifier, other]) each.learn(components(100, 30), 2)
    expect(other.save()).toBe(classifier.save())
    expect(other.decide([0.5, 5])).toEqual(classifier.decide([0.5, 5]))
  })

  it('keeps a threshold that nothing reaches', () => {
    const classifier = taught()
    classifier.calibrate(
      [
        { features: [0.9, 9], isCritical: false },
        { features: [0.1, 1], isCritical: true },
      ],
      0.1,
    )
    const other = CriticalComponentClassifier.load(core, classifier.save())
    expect(other.calibration!.operatingPoint.threshold).toBe(Number.POSITIVE_INFINITY)
    expect(other.decide([0.9, 9]).isCritical).toBe(false)
  })

  it.each([
    ['classifier_damaged', 'no JSON', () => '{"format":'],
    ['classifier_foreign', 'another file', () => '{"format":"x"}'],
    ['classifier_version', 'a later version', (text: string) => text.replace('"version":1', '"version":2')],
    ['classifier_damaged', 'unknown features', (text: string) => text.replace('"features":"paper"', '"features":"x"')],
    ['classifier_damaged', 'other features', (text: string) => text.replace('"relativeImportance"', '"importance"')],
    [
      'classifier_damaged',
      'a hole in the weights',
      (text: string) => text.replace(/"mean":\[[^\]]*\]/, '"mean":[null,1]'),
    ],
    [
      'classifier_damaged',
      'more random features than weights',
      (text: string) => text.replace(/"randomFeatures":\d+/, '"randomFeatures":134217728'),
    ],
    [
      'classifier_damaged',
      'half a random feature',
      (text: string) => text.replace(/"randomFeatures":\d+/, '"randomFeatures":0.5'),
    ],
    ['classifier_damaged', 'a broken calibration', (text: string) => text.replace(/"slope":[^,]*/, '"slope":null')],
    [
      'classifier_damaged',
      'weights of another width',
      (text: string) => text.replace(/"mean":\[[^\]]*\]/, '"mean":[1]'),
    ],
    [
      'random_state_invalid',
      'half a random state',
      (text: string) => text.replace(/"shuffle":\[[^\]]*\]/, '"shuffle":[1]'),
    ],
  ])('refuses by %s: %s', (code, _, damage) => {
    const classifier = taught()
    classifier.calibrate(components(100, 20))
    const text = damage(classifier.save())
    const before = [core.usedBytes, core.memory.buffer.byteLength]
    expect(() => CriticalComponentClassifier.load(core, text)).toThrow(expect.objectContaining({ code }))
    expect([core.usedBytes, core.memory.buffer.byteLength]).toEqual(before)
  })
})
