#!/usr/bin/env node
import process from 'node:process'
import { createProcessHost } from './host.js'
import { main } from './main.js'

main(process.argv.slice(2), createProcessHost()).then((code) => {
  process.exitCode = code
})
