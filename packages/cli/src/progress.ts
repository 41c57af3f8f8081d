import type { Host } from './host.js'

export interface Progress {
  /** @param state  without a total there is no share and no time left */
  update(state: { readonly done: number; readonly total: number | undefined; readonly label: string }): void
  /** Clears the line; may be called twice. */
  finish(): void
}

const REDRAW_MS = 80
const LOG_EVERY_MS = 10_000
const BAR = 24

/**
 * Progress on stderr: one line that redraws itself on a terminal, a plain line every ten seconds in a pipe or a log.
 * The rate is that of the whole run, so the time left is steady when the parts are alike.
 * @param digits  behind the point of what is done and of the total
 */
export function createProgress(host: Pick<Host, 'stderr' | 'now'>, unit: string, digits = 0): Progress {
  const { stderr } = host
  const isLive = stderr.isTTY === true
  const startedAt = host.now()
  let drawnAt = Number.NEGATIVE_INFINITY
  let isDrawn = false

  return {
    update({ done, total, label }) {
      const now = host.now()
      const isLast = total !== undefined && done >= total
      if (now - drawnAt < (isLive ? REDRAW_MS : LOG_EVERY_MS) && !isLast) return
      drawnAt = now
      const perSecond = done / Math.max((now - startedAt) / 1000, 1e-3)
      const rate = `${formatRate(perSecond)} ${unit}/s`
      const share = total ? Math.min(1, done / total) : 0
      const left = total && done > 0 && !isLast ? ` · ${formatDuration((total - done) / perSecond)} left` : ''
      const text =
        total === undefined
          ? `${done.toFixed(digits)} ${unit} · ${rate} · ${label}`
          : `${String(Math.floor(share * 100)).padStart(3)} % · ${done.toFixed(digits)}/${total.toFixed(digits)} ${unit} · ${rate}${left} · ${label}`
      if (!isLive) {
        stderr.write(`${text.trimStart()}\n`)
        return
      }
      const filled = Math.round(share * BAR)
      const bar = total === undefined ? '' : `${'█'.repeat(filled)}${'░'.repeat(BAR - filled)} `
      const line = `${bar}${text}`
      stderr.write(`\r\u001b[2K${line.slice(0, (stderr.columns ?? 80) - 1)}`)
      isDrawn = true
    },
    finish() {
      if (isDrawn) stderr.write('\r\u001b[2K')
      isDrawn = false
    },
  }
}

const formatRate = (perSecond: number): string => (perSecond >= 10 ? perSecond.toFixed(0) : perSecond.toFixed(1))

/** `8 s`, `2 min 05 s`, `1 h 10 min`. */
export function formatDuration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds))
  const two = (n: number) => String(n).padStart(2, '0')
  if (whole < 60) return `${whole} s`
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${two(whole % 60)} s`
  return `${Math.floor(whole / 3600)} h ${two(Math.floor((whole % 3600) / 60))} min`
}
