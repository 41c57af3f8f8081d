// The other side of WorkerPool: imports the job module once, then runs one job at a time. Plain JavaScript beside `src` and `dist`,
// so that both find it at `../worker.js` and every runtime can start it as it is.
import { parentPort, workerData } from 'node:worker_threads'

const jobs = import(workerData.module)
jobs.catch(() => {}) // reported with the first job instead of as an unhandled rejection

parentPort.on('message', async ({ id, job, input }) => {
  try {
    const run = (await jobs)[job]
    if (typeof run !== 'function') {
      const message = `${workerData.module} exports no function named ${job}`
      throw Object.assign(new Error(message), { code: 'job_unknown' })
    }
    const output = await run(input, (progress) => post({ id, progress }))
    post({ id, output })
  } catch (error) {
    parentPort.postMessage({ id, error: describe(error) })
  }
})

function post(message) {
  try {
    parentPort.postMessage(message)
  } catch (cause) {
    const text =
      'a job may only return and report what can be cloned: no functions, no instances of classes with private state'
    throw Object.assign(new Error(text, { cause }), { code: 'job_not_cloneable' })
  }
}

/** An error as plain data, because cloning would drop its code; causes to a depth, because they may form a circle. */
function describe(error, depth = 8) {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) }
  const { name, message, stack, code, cause } = error
  return {
    name,
    message,
    stack,
    code: typeof code === 'string' ? code : undefined,
    cause: cause === undefined || depth === 0 ? undefined : describe(cause, depth - 1),
  }
}
