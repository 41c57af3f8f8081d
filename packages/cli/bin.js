#!/usr/bin/env node
// Lies beside dist/ because npm links a command only where its file is there already, and a fresh clone is not built yet.
import { existsSync } from 'node:fs'

const built = new URL('./dist/bin.js', import.meta.url)
if (existsSync(built)) await import(built.href)
else {
  console.error('trimtab: not built yet: run `npm start` or `npm run build` in the repository first')
  process.exitCode = 2
}
