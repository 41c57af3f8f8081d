// Each shell is asked what it would offer, where the machine has it.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { notChecked } from '../../../test/not-checked.js'
import { main } from '../src/main.js'
import { createFakeHost } from './fake-host.js'

const folder = mkdtempSync(join(tmpdir(), 'trimtab-completion-'))
afterAll(() => rmSync(folder, { recursive: true }))

async function scriptFor(shell: string): Promise<string> {
  const host = createFakeHost()
  expect(await main(['completion', shell], host)).toBe(0)
  const path = join(folder, shell)
  writeFileSync(path, host.out())
  return path
}

const run = (shell: string, args: readonly string[]): string[] =>
  execFileSync(shell, args, { encoding: 'utf8', cwd: folder }).split('\n').filter(Boolean)

/** How each shell is asked for what it would offer after `words`, the last of which is not finished. */
const ASK: Record<string, (script: string, words: readonly string[]) => string[]> = {
  bash: (script, words) => {
    const list = words.map((word) => `'${word}'`).join(' ')
    const ask = `source ${script}; COMP_WORDS=(${list}); COMP_CWORD=${words.length - 1}; _trimtab; printf '%s\\n' "\${COMPREPLY[@]}"`
    return run('bash', ['--norc', '-c', ask])
  },
  zsh: (script, words) => {
    const list = words.map((word) => `'${word}'`).join(' ')
    const stubs = `compdef() {}; compadd() { shift; print -l -- "$@" | grep -- "^$PREFIX" }; _files() {}
      _describe() { print -l -- "\${(@P)2%%:*}" | grep -- "^$PREFIX" }`
    return run('zsh', [
      '-f',
      '-c',
      `${stubs}; source ${script}; words=(${list}); CURRENT=$#words; PREFIX=$words[-1]; _trimtab`,
    ])
  },
  fish: (script, words) => {
    const ask = `source ${script}; complete -C '${words.join(' ')}'`
    return run('fish', ['--no-config', '-c', ask]).map((line) => line.split('\t')[0]!)
  },
}

const hasShell = (shell: string): boolean => {
  try {
    execFileSync(shell, ['-c', 'true'])
    return true
  } catch {
    return false
  }
}

describe.each(Object.keys(ASK))('in %s', (shell) => {
  if (!hasShell(shell)) {
    notChecked(`completion in ${shell}`, shell)
    return
  }
  it('commands, their commands and their options complete', async () => {
    const script = await scriptFor(shell)
    const ask = (...words: string[]) => ASK[shell]!(script, ['trimtab', ...words]).sort()
    expect(ask('auto')).toEqual(['autoscale'])
    expect(ask('trace', 'cr')).toEqual(['critical-path'])
    expect(ask('trace', 'culprits', '--base')).toEqual(['--baseline'])
    expect(ask('schedule', '--requests', 'x.jsonl', '--repo')).toEqual(['--report'])
  }, 300_000) // every command is loaded first
})
