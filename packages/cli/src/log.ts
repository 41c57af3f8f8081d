import type { Logger } from '@trimtab/core'
import { printable } from '@trimtab/core/text'
import type { Output } from './host.js'

/** How a log is written: `{"time":…,"level":"info","message":…}` a line, or words. */
export const LOG_FORMATS = ['json', 'text'] as const

/** A log for programs that stay; what is for who looks for a fault is left out. @param time  wall clock, ms since 1970 */
export function createLogger(output: Output, format: (typeof LOG_FORMATS)[number], time: () => number): Logger {
  const write =
    (level: string) =>
    (message: string, fields: object = {}): void => {
      const at = new Date(time()).toISOString()
      const said = Object.entries(fields).map(([name, value]) => [name, value instanceof Error ? value.message : value])
      const words = said.map(([name, value]) => ` ${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
      const line =
        format === 'json'
          ? JSON.stringify({ time: at, level, message, ...Object.fromEntries(said) })
          : printable(`${at} ${level} ${message}${words.join('')}`)
      output.write(`${line}\n`)
    }
  return { debug: () => {}, info: write('info'), warn: write('warn'), error: write('error') }
}
