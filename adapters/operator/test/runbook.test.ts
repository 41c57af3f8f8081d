// The runbook, typed: the commands of its console blocks in order, with the real kubectl and trimtab, in a cluster with a Deployment `web` and
// an operator that makes its passes where a comment says so. What is printed must be what stands there (`npx vitest run -u` writes it).
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { temporaryFile, temporaryFolder } from '../../kubernetes/test/opened.js'
import { findTool, runTool } from '../../kubernetes/test/tools.js'
import { openInstallation } from './installation.js'

const kubectl = findTool('kubectl', 'the runbook by kubectl')
const file = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const RUNBOOK = file('../RUNBOOK.md')
const PASSES = '<!-- the operator makes its passes -->'

/** A shell in which `trimtab` and `kubectl` are found, and a folder with the sample. */
async function openShell(kubeconfig: string): Promise<(command: string) => Promise<string>> {
  const home = await temporaryFolder()
  const bin = join(home, 'bin')
  await mkdir(bin)
  await symlink(kubectl!, join(bin, 'kubectl'))
  const trimtab = `#!/bin/sh\nexec ${process.execPath} ${file('../../../packages/cli/bin.js')} "$@"\n`
  await writeFile(join(bin, 'trimtab'), trimtab, { mode: 0o755 })
  await symlink(file('../../kubernetes/examples/web.yaml'), join(home, 'web.yaml'))
  const env = { HOME: home, PATH: `${bin}:/usr/bin:/bin`, KUBECONFIG: await temporaryFile(kubeconfig) }
  return (command) => runTool('/bin/sh', ['-c', `cd && ( ${command} ) 2>&1; true`], { env })
}

/** Without what is another one each time: ages, moments, ids. The width of a column of ages is theirs too. */
const timeless = (text: string): string =>
  text
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '<time>')
    .replace(/(Resource Version: +)\d+/g, '$1<version>')
    .replace(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, '<uid>')
    .replace(/ (\d+[smhd]){1,2}( \(x\d+ over (\d+[smhd]){1,2}\))? *$/gm, ' <age>')
    .replace(/^( +\w+ +\w+ +)(\d+[smhd]){1,2}( \(x\d+ over (\d+[smhd]){1,2}\))? +/gm, '$1<age>  ')
    .replace(/ +$/gm, '')

/** Of a long answer the runbook shows the lines that it names, in their order; a line `…` stands for the others. */
function excerpt(printed: string, shown: readonly string[]): string[] {
  const lines = timeless(printed)
    .trimEnd()
    .split('\n')
    .filter((line) => line !== '')
  if (!shown.includes('…')) return lines
  const kept = shown.filter((line) => line === '…' || lines.includes(line))
  return kept.length === shown.length ? kept : ['…', ...lines]
}

describe.runIf(kubectl)('the runbook', () => {
  it('shows what is printed', async () => {
    const { kubeconfig, passes } = await openInstallation()
    const type = await openShell(kubeconfig)
    let text = ''
    for (const piece of (await readFile(RUNBOOK, 'utf8')).split(/(```console\n[\s\S]*?```\n|<!-- .*? -->\n)/)) {
      if (piece.startsWith(PASSES)) await passes()
      if (!piece.startsWith('```console')) {
        text += piece
        continue
      }
      text += '```console\n'
      const [, ...commands] = piece.replace(/```\n$/, '').split(/^\$ /m)
      for (const part of commands) {
        const [command = '', ...shown] = part.trimEnd().split('\n')
        const lines = excerpt(await type(command), shown)
        text += [`$ ${command}`, ...lines].join('\n').concat('\n')
      }
      text += '```\n'
    }
    await expect(text).toMatchFileSnapshot(RUNBOOK)
  }, 120_000)
})
