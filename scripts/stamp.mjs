// Knows whether an output folder was made from the inputs as they are now.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('..', import.meta.url))

function* files(path) {
  if (!existsSync(path)) return
  if (!statSync(path).isDirectory()) yield path
  else for (const name of readdirSync(path).sort()) yield* files(join(path, name))
}

function digest(inputs) {
  const hash = createHash('sha256')
  for (const input of inputs)
    for (const file of files(join(ROOT, input)))
      hash.update(file.slice(ROOT.length)).update('\0').update(readFileSync(file))
  return hash.digest('hex')
}

export const isFresh = (out, inputs) => {
  const stamp = join(out, '.stamp')
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === digest(inputs)
}

export const writeStamp = (out, inputs) => {
  mkdirSync(out, { recursive: true })
  writeFileSync(join(out, '.stamp'), digest(inputs))
}
