import { FormatError } from '@trimtab/core'
import { beforeAll, expect, test } from 'vitest'
import { Profile } from '../../src/profile/index.js'
import { Workflow } from '../../src/workflow/index.js'
import { pathOf, sharedCore, span, uniforms } from '../some-traces.js'

beforeAll(sharedCore)

const spans = [
  span('r', null, 'web /', 0, 100, { traceId: 'ünïcode 🚀' }),
  span('a', 'r', 'cart get', 10, 50),
  span('b', 'r', 'cart get', 60, 90),
  span('c', 'lost', 'db query', 0, 10),
]

const saved = (): { profile: Uint8Array; workflow: Uint8Array } => {
  const profile = new Profile()
  const workflow = new Workflow()
  profile.add(pathOf(spans))
  workflow.add(pathOf(spans))
  return { profile: profile.save(), workflow: workflow.save() }
}

const codeOf = (load: () => unknown): string => {
  try {
    load()
    return 'loaded'
  } catch (error) {
    if (!(error instanceof FormatError)) throw error
    return error.code
  }
}

test('names and ids of any script come back', () => {
  expect(Profile.load(saved().profile).endpoints()[0]!.slowest[0]!.traceId).toBe('ünïcode 🚀')
})

test('a block may lie anywhere in a larger buffer', () => {
  const { profile } = saved()
  const shifted = new Uint8Array(profile.length + 3)
  shifted.set(profile, 3)
  expect(Profile.load(shifted.subarray(3)).traces).toBe(1)
})

test('what is foreign is named', () => {
  const { profile, workflow } = saved()
  expect(() => Profile.load(new Uint8Array())).toThrow(/no saved profile/)
  expect(() => Profile.load(new TextEncoder().encode('{"data": [{"traceID": "a"}]}'))).toThrow(/no saved profile/)
  expect(() => Profile.load(workflow)).toThrow('this is a saved workflow, not a saved profile')
  expect(() => Workflow.load(profile)).toThrow('this is a saved profile, not a saved workflow')
})

test('a block of another version names both', () => {
  const { profile } = saved()
  const text = new TextDecoder('latin1').decode(profile)
  profile[text.indexOf('"version":3') + '"version":'.length] = '9'.charCodeAt(0)
  expect(() => Profile.load(profile)).toThrow(/has version 9, this package reads 3/)
})

test('a block cut off anywhere, or with something after it, is refused', () => {
  for (const [bytes, load] of [
    [saved().profile, (part: Uint8Array) => Profile.load(part)],
    [saved().workflow, (part: Uint8Array) => Workflow.load(part)],
  ] as const) {
    for (let length = 0; length < bytes.length; length++) {
      expect(codeOf(() => load(bytes.subarray(0, length)))).toBe(length < 16 ? 'file_foreign' : 'file_damaged')
    }
    const longer = new Uint8Array(bytes.length + 8)
    longer.set(bytes)
    expect(codeOf(() => load(longer))).toBe('file_damaged')
  }
})

test('damaged bytes are refused or make another profile, and never anything else', () => {
  const uniform = uniforms(5)
  const { profile, workflow } = saved()
  const codes = new Set<string>()
  for (let i = 0; i < 4000; i++) {
    const bytes = (i % 2 === 0 ? profile : workflow).slice()
    for (let flips = 0; flips < 1 + (i % 3); flips++) {
      bytes[Math.floor(bytes.length * uniform())] = Math.floor(256 * uniform())
    }
    codes.add(
      codeOf(() => {
        if (i % 2 === 1) JSON.stringify(Workflow.load(bytes).pairs())
        else
          Profile.load(bytes)
            .callPaths()
            .map(({ self, share }) => [self.quantile(0.5), share])
      }),
    )
  }
  expect([...codes].sort()).toEqual(
    ['file_damaged', 'file_foreign', 'file_version', 'loaded'].filter((code) => codes.has(code)),
  )
  expect(codes.has('file_damaged')).toBe(true)
})
