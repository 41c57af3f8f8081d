import { printable } from '@trimtab/core/text'
import { type Command, defineCommand, EXIT } from '../command.js'
import { checkFfi, checkNvidia, checkWebGpu } from '../doctor/accelerators.js'
import { checkCgroups } from '../doctor/cgroups.js'
import type { Check } from '../doctor/check.js'
import { checkCore, checkDebugBuild } from '../doctor/core.js'
import { checkIsolation, checkRuntime, checkThreads } from '../doctor/runtime.js'
import { switchOption } from '../options.js'
import { createPaint, type Paint } from '../terminal.js'

export const doctor: Command = defineCommand({
  name: 'doctor',
  summary: 'Look at this host: what was found, and what it means for Trimtab',
  options: { json: switchOption('print the checks as JSON') },
  examples: [
    ['trimtab doctor', 'everything, for people'],
    ['trimtab doctor --json', 'everything, for programs: { ok, checks: [{ name, state, found, meaning }] }'],
    ['npx trimtab doctor', 'without installing (also bunx trimtab, deno run -A npm:trimtab)'],
  ],
  exits: 'Exit: 0 Trimtab works here, 1 it does not, 2 the call is bad.',
  async run({ json }, host) {
    const core = await checkCore(host.now) // first: it times the first import of the core
    const checks: readonly Check[] = [
      checkRuntime(),
      ...core,
      await checkDebugBuild(),
      checkThreads(),
      await checkWebGpu(),
      await checkFfi(),
      await checkNvidia(),
      await checkCgroups(),
      checkIsolation(),
    ]
    const ok = checks.every(({ state }) => state !== 'bad')
    if (json) host.stdout.write(`${JSON.stringify({ ok, checks }, undefined, 2)}\n`)
    else host.stdout.write(formatChecks(checks, ok, createPaint(host.stdout, host.env)))
    return ok ? EXIT.done : EXIT.badAnswer
  },
})

export function formatChecks(checks: readonly Check[], ok: boolean, paint: Paint): string {
  const marks = { ok: paint.good('✓'), absent: paint.dim('–'), bad: paint.bad('✗') }
  const width = Math.max(...checks.map(({ name }) => name.length))
  const lines = checks.map(
    ({ name, state, found, meaning }) =>
      `${marks[state]} ${paint.bold(name.padEnd(width))}  ${printable(found)}\n  ${' '.repeat(width)}  ${paint.dim(meaning)}`,
  )
  return `${lines.join('\n')}\n\n${ok ? 'Trimtab works here.' : paint.bad('Trimtab does not work here: see ✗ above.')}\n`
}
