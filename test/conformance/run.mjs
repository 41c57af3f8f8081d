// Runs conformance vectors: every *.json below a folder, each case by its kind.
// Usage: npm run conformance -- DIR [--only KIND…] [--skip KIND…] [--json]
// Exit: 0 all passed, 1 something failed, 2 the call is bad.
//
// A module of handlers exports
//
//   export const handlers = { 'nn/gru-cell': (case_, file, context) => differences, … }
//
//   case_     the case: an entry of `cases`, an entry of a named group, or the whole file where the file is one case
//   file      the whole parsed file, for what the cases share (`tol`, parameters)
//   context   { kind, name, group, path, core }: core is a shared instance of the core; group is 'cases', the group's name or ''
//   returns   [{ at, expected, got }], empty when the case passes; may be a promise; what it throws fails the case
//
// `compare()` in compare.mjs makes such lists. A kind without a handler fails unless --only or --skip leaves it out.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { createCore } from '@trimtab/core'
import { createTraceCore } from '@trimtab/core/trace'
import { BadCall, casesOf, parseCall } from './cases.mjs'
import { handlers as congestion } from './congestion.mjs'
import { handlers as gru } from './gru.mjs'
import { handlers as hpaVpa } from './hpa-vpa.mjs'
import { handlers as nn } from './nn.mjs'
import { handlers as ppo } from './ppo.mjs'
import { handlers as trace } from './trace.mjs'
import { handlers as traceDependencies } from './trace-dependencies.mjs'

const handlers = { ...congestion, ...gru, ...hpaVpa, ...nn, ...ppo, ...trace, ...traceDependencies }

function jsonFiles(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) return jsonFiles(path)
      return entry.name.endsWith('.json') ? [path] : []
    })
}

/** The parsed file, or why it is no vector file. */
function readVectors(path) {
  let file
  try {
    file = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    return { ignored: `not valid JSON (${error.message})` }
  }
  const cases = casesOf(file)
  return cases.length === 0 ? { ignored: 'no kind' } : { file, cases }
}

async function runCase(vector, file, context) {
  const handler = handlers[vector.kind]
  if (!handler)
    return [{ at: 'kind', expected: `a handler for ${vector.kind}`, got: 'none: this kind is not implemented' }]
  try {
    return await handler(vector.case, file, context)
  } catch (error) {
    return [{ at: 'run', expected: vector.case.expected ?? 'no error', got: `${error.name}: ${error.message}` }]
  }
}

async function runFolder({ folder, selects }) {
  const [core, traceCore] = await Promise.all([createCore(), createTraceCore()])
  const report = { passed: 0, failed: 0, skipped: 0, ignored: [], failures: [] }
  for (const path of jsonFiles(folder)) {
    const shown = relative(folder, path)
    const { file, cases, ignored } = readVectors(path)
    if (ignored) report.ignored.push({ file: shown, reason: ignored })
    for (const vector of cases ?? []) {
      if (!selects(vector.kind)) {
        report.skipped += 1
        continue
      }
      const { kind, name, group } = vector
      const differences = await runCase(vector, file, { kind, name, group, path, core, traceCore })
      if (differences.length === 0) report.passed += 1
      else {
        report.failed += 1
        report.failures.push({ file: shown, kind, name, differences })
      }
    }
  }
  return report
}

const show = (value) => {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value))
  return text.length > 400 ? `${text.slice(0, 400)}…` : text
}

function printReport(report) {
  for (const { file, kind, name, differences } of report.failures) {
    console.log(`FAIL ${file}: ${name} (${kind})`)
    for (const { at, expected, got } of differences) {
      console.log(`  ${at}: expected ${show(expected)}, got ${show(got)}`)
    }
  }
  if (report.ignored.length > 0) {
    console.log(`${report.ignored.length} files ignored, not vectors:`)
    for (const { file, reason } of report.ignored) console.log(`  ${file}: ${reason}`)
  }
  if (report.skipped > 0) console.log(`${report.skipped} cases left out by --only or --skip`)
  console.log(`${report.passed} passed, ${report.failed} failed`)
}

try {
  const call = parseCall(process.argv.slice(2))
  if (!statSync(call.folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new BadCall(`${call.folder} is not a folder`)
  }
  const report = await runFolder(call)
  if (call.only.length > 0 && report.passed + report.failed === 0) {
    throw new BadCall(`no case below ${call.folder} is of kind ${call.only.join(', ')}`)
  }
  if (call.json) console.log(JSON.stringify(report))
  else printReport(report)
  process.exitCode = report.failed > 0 ? 1 : 0
} catch (error) {
  if (!(error instanceof BadCall)) throw error
  console.error(`conformance: ${error.message}`)
  console.error('usage: npm run conformance -- DIR [--only KIND…] [--skip KIND…] [--json]')
  process.exitCode = 2
}
