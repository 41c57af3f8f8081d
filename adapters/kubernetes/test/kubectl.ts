import { execFile } from 'node:child_process'

/** What kubectl prints; on failure its words are the error. */
export function runKubectl(
  program: string,
  environment: Readonly<Record<string, string>>,
  args: readonly string[],
  input = '',
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(program, [...args], { env: environment, timeout: 30_000 }, (error, stdout, stderr) => {
      if (error) reject(new Error(`kubectl ${args.join(' ')}: ${stderr || error.message}`))
      else resolve(stdout)
    })
    child.stdin?.end(input)
  })
}
