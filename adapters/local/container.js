// A container: a process that runs one function, one call at a time. Plain JavaScript beside `src` and `dist`, so that both find it at
// `../container.js`. Told `{ source, endOfLog }` first, then `{ params }` for each call; says `{ ready }`, `{ failed }`, `{ result, cpuMs }`,
// `{ thrown, cpuMs }`.
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import process from 'node:process'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'

new Worker(new URL('./lifeline.js', import.meta.url)).unref()

// Without its platform it ends with all that the function has started, not by itself: neither for want of work nor because nobody reads.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
process.on('exit', () => process.connected || process.kill(-process.pid, 'SIGKILL'))

let main
/** What ends what a call wrote, on both streams. */
let endOfLog
process.on('message', (message) => (message.source ? load(message) : call(message.params)))

async function load({ source, endOfLog: mark }) {
  endOfLog = mark
  try {
    main = 'file' in source ? await mainOfFile(source.file) : await mainOfText(source.code, `${process.cwd()}/`)
    process.send({ ready: true })
  } catch (error) {
    process.send({ failed: String(error) })
  }
}

/** A module that exports `main` or a default, or a script that declares `main`, as OpenWhisk's examples do. */
async function mainOfFile(file) {
  const found = exportedBy(await import(pathToFileURL(file).href))
  return found ?? mainOfText(await readFile(file, 'utf8'), file)
}

/** @param from  where what it requires is looked for */
async function mainOfText(code, from) {
  const found = /^\s*(export|import)\s/m.test(code)
    ? exportedBy(await import(`data:text/javascript,${encodeURIComponent(code)}`))
    : mainOfScript(code, from)
  if (found === undefined) throw new Error('there is no function main: export it, or declare it in a script')
  return found
}

function mainOfScript(code, from) {
  const module = { exports: {} }
  const text = `${code}\nreturn typeof main === 'function' ? main : undefined`
  const declared = new Function('exports', 'module', 'require', text)(module.exports, module, createRequire(from))
  return declared ?? exportedBy(module.exports)
}

function exportedBy(module) {
  return [module.main, module.default?.main, module.default].find((one) => typeof one === 'function')
}

async function call(params) {
  const before = process.cpuUsage()
  const answer = await answerOf(params)
  const { user, system } = process.cpuUsage(before)
  const cpuMs = (user + system) / 1000
  try {
    process.send({ ...answer, cpuMs })
  } catch (error) {
    process.send({ thrown: `the result cannot be written as JSON: ${error}`, cpuMs })
  }
  for (const stream of [process.stdout, process.stderr]) stream.write(`${endOfLog}\n`)
}

/** As OpenWhisk's runtime for Node: what is thrown is the developer's error, what is rejected the application's. */
async function answerOf(params) {
  let promised
  try {
    promised = main(params)
  } catch (error) {
    return { thrown: String(error) }
  }
  try {
    const result = (await promised) ?? {}
    return typeof result === 'object' ? { result } : { thrown: 'the function returned neither an object nor an array' }
  } catch (error) {
    return { result: { error: error instanceof Error ? error.message : (error ?? {}) } }
  }
}
