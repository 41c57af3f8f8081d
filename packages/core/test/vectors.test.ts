// The reference vectors that lie beside the repository, through the same handlers as `npm run conformance`.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { casesOf } from '../../../test/conformance/cases.mjs'
import { handlers } from '../../../test/conformance/nn.mjs'
import { notChecked } from '../../../test/not-checked.js'
import { type Core, createCore } from '../src/index.js'

type Vector = { kind: string; name: string; case: unknown }
type Handler = (vector: unknown, file: unknown, context: { core: Core }) => unknown
const handlerOf: Readonly<Record<string, Handler>> = handlers

const FOLDER = new URL('../../../../shared/data/nn-vectors/', import.meta.url)

let core: Core
beforeAll(async () => {
  core = await createCore()
})

if (!existsSync(FOLDER)) {
  notChecked('the reference vectors of networks', '../shared/data/nn-vectors')
} else {
  const files = readdirSync(FOLDER)
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8')))
  for (const file of files.filter(({ kind }) => kind in handlerOf)) {
    describe(file.kind, () => {
      it.each((casesOf(file) as Vector[]).map((vector, i) => [`${vector.name} (${i})`, vector] as const))(
        '%s',
        async (_, vector) => {
          expect(await handlerOf[vector.kind]!(vector.case, file, { ...vector, core })).toEqual([])
        },
      )
    })
  }
}
