#!/usr/bin/env node
import process from 'node:process'
import { createProcessHost } from './host.js'
import { main } from './main.js'

// A reader that has seen enough (`trimtab … | head`) is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})
main(process.argv.slice(2), createProcessHost()).then((code) => {
  process.exitCode = code
})
