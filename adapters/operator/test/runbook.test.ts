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

const AGE = /(<invalid>|(\d+[smhd]){1,2})( \(x\d+ over (<invalid>|(\d+[smhd]){1,2})\))?/.source

/** Without what is another one each time: moments, and ages with the width of their column. */
const timeless = (text: string): string =>
  text
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '<time>')
    .replace(new RegExp(` {2,}${AGE} *$`, 'gm'), '   <age>')
    .replace(new RegExp(`^( +\\w+ +\\w+ +)${AGE} +`, 'gm'), '$1<age>  ')
    .replace(/^( +Type +Reason +Age) +/gm, '$1    ')
    .replace(/^( +-+ +-+ +-+) +/gm, '$1   ')
    .replace(/ +$/gm, '')

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
        const [command = ''] = part.split('\n')
        const printed = timeless(await type(command))
          .split('\n')
          .filter(Boolean)
        text += `${[`$ ${command}`, ...printed].join('\n')}\n`
      }
      text += '```\n'
    }
    await expect(text).toMatchFileSnapshot(RUNBOOK)
  }, 120_000)
})
