import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const PACKAGE = fileURLToPath(new URL('..', import.meta.url))
const { bin, files } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8'))

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'trimtab-bin-'))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  cpSync(join(PACKAGE, bin.trimtab), join(folder, 'bin.js'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const run = () => spawnSync(process.execPath, [join(folder, 'bin.js'), 'doctor'], { encoding: 'utf8' })

describe('the file that npm links as the command', () => {
  it('is there before anything is built, since npm links no file that is not, and is published', () => {
    const tracked = spawnSync('git', ['ls-files', '--error-unmatch', bin.trimtab], { cwd: PACKAGE })
    expect(tracked.status).toBe(0)
    expect(files).toContain(bin.trimtab.replace('./', ''))
  })

  it('says what to run where nothing is built yet', () => {
    expect(run()).toMatchObject({ status: 2, stdout: '', stderr: expect.stringMatching(/^trimtab: .*npm start.*\n$/) })
  })

  it('runs what was built', () => {
    mkdirSync(join(folder, 'dist'))
    writeFileSync(join(folder, 'dist/bin.js'), 'console.log(process.argv[2]); process.exitCode = 3')
    expect(run()).toMatchObject({ status: 3, stdout: 'doctor\n', stderr: '' })
  })
})
