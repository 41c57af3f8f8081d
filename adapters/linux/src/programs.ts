import { fileURLToPath } from 'node:url'

/** Plain JavaScript that runs in a process of its own. It lies beside `src` and `dist`, so that both find it from one folder up. */
export const watchdogProgram = (): string => fileURLToPath(new URL('../watchdog.js', import.meta.url))
