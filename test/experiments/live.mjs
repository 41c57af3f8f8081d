// The main job by real processes on this machine, again and again, as root and without it: do the machinery's gates hold, and what do the
// arms come to? Time and processes are real, so that the figures differ from run to run; the machine must have nothing else to do.
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const BIN = fileURLToPath(new URL('../../packages/cli/dist/bin.js', import.meta.url))
const NOBODY = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups']

/** runs: of each user. */
export const SCALES = {
  smoke: { runs: 1, options: ['--period', '0.5', '--block-seconds', '3', '--blocks', '2', '--warm-up-seconds', '5'] },
  gate: { runs: 3, options: [] },
  paper: { runs: 3, options: ['--hours', '2'] },
}

const MOST_MORE_BREACHES = 5 // points

export async function run(scaleName, progress) {
  const { runs, options } = SCALES[scaleName]
  const folder = mkdtempSync(join(tmpdir(), 'trimtab-live-'))
  chmodSync(folder, 0o777)
  const done = []
  try {
    for (const { user, prefix } of users())
      for (let run = 1; run <= runs; run++) {
        progress(`${user}, run ${run} of ${runs}`)
        const record = join(folder, `${user}-${run}.json`)
        const markdown = join(folder, `${user}-${run}.md`)
        const files = ['--record', record, '--report', markdown, '--state', folder, '--seed', String(run)]
        await call([...prefix, process.execPath, BIN, 'live', ...options, ...files])
        done.push({ user, run, report: JSON.parse(readFileSync(record, 'utf8')), text: readFileSync(markdown, 'utf8') })
      }
  } finally {
    rmSync(folder, { recursive: true })
  }
  const missed = done.flatMap(missesOf)
  const json = { scale: scaleName, runs: done.map(({ text: _, ...rest }) => rest), missed }
  return { markdown: render(scaleName, done, missed), json, isShown: missed.length === 0 }
}

/** Who it is run by here. */
function users() {
  if (process.getuid() !== 0) return [{ user: 'unprivileged', prefix: [] }]
  const canBeNobody = spawnSync(NOBODY[0], [...NOBODY.slice(1), process.execPath, BIN, '--version']).status === 0
  if (!canBeNobody) console.error('NOT CHECKED: without root: needs setpriv, and a checkout that others may read')
  return [{ user: 'root', prefix: [] }, ...(canBeNobody ? [{ user: 'unprivileged', prefix: NOBODY }] : [])]
}

function call([program, ...argv]) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, argv, { stdio: ['ignore', 'ignore', 'inherit'] })
    child.on('error', reject)
    child.on('close', (code) =>
      code === 0 || code === 1 ? resolve() : reject(new Error(`trimtab live ended with ${code}`)),
    )
  })
}

/** What a run does not show that it must. */
function missesOf({ user, run, report }) {
  const { doubts, figures } = report.verdict
  const [first, ...others] = figures
  const more = others.filter(({ breachPercent }) => breachPercent > first.breachPercent + MOST_MORE_BREACHES)
  return [
    ...doubts,
    ...more.map(
      ({ arm, breachPercent }) =>
        `${arm} broke the SLO in ${breachPercent.toFixed(1)} % of periods, ${first.arm} in ${first.breachPercent.toFixed(1)} %`,
    ),
  ].map((what) => `${user}, run ${run}: ${what}`)
}

function render(scaleName, done, missed) {
  const sections = done.map(({ user, run, text }) => text.replace(/^# .*$/m, `## ${user}, run ${run}`).trimEnd())
  const verdict =
    missed.length === 0
      ? `All gates hold in all ${done.length} runs; no arm broke the SLO in ${MOST_MORE_BREACHES} points of periods more than the first.`
      : `${missed.length} things are not as they must be:\n\n${missed.map((what) => `- ${what}`).join('\n')}`
  return `# Live: one machine, real processes

\`npm run experiment -- live --scale ${scaleName}\`, ${cpus().length} CPUs (${cpus()[0]?.model ?? 'unknown'}). Pods are Node processes behind a balancer, held by control
groups as root and by signals without it; an open-loop generator sends the same arrivals to every arm, in alternating blocks. p99 counts from when a request
was meant to go out. Figures are of real time and differ from run to run; ten minutes cannot tell a fifth from nothing in every run.

${verdict}

${sections.join('\n\n')}
`
}
