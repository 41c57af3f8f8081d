// How the main thread of a page fares: when it can be used, tasks that kept it busy, gaps between pictures.

/** A task as long as this is felt. */
export const LONGEST_TASK_MS = 200

/** Watches a page from its start on; to be called before it is opened. */
export async function watchMainThread(page) {
  await page.addInitScript(() => {
    const seen = { usableMs: undefined, longTasks: [], gaps: [] }
    globalThis.mainThread = seen
    const observer = new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) seen.longTasks.push(duration)
    })
    observer.observe({ type: 'longtask', buffered: true })
    let before
    const frame = (now) => {
      const status = document.querySelector('[data-testid=status]')
      if (status && status.textContent !== 'starting') seen.usableMs ??= performance.now()
      if (before !== undefined) seen.gaps.push(now - before)
      before = now
      requestAnimationFrame(frame)
    }
    requestAnimationFrame(frame)
  })
}

/**
 * What was seen since the page was opened or last asked.
 * @returns ms from the start of the page until it said what it does, longest task in ms (0: none took 50), tasks of 50 ms and more, pictures a
 * second, longest time without one in ms
 */
export const readMainThread = (page) =>
  page.evaluate(() => {
    const { usableMs, longTasks, gaps } = globalThis.mainThread
    const found = {
      usableMs,
      longestTaskMs: Math.max(0, ...longTasks),
      longTasks: longTasks.length,
      framesPerSecond: (1000 * gaps.length) / gaps.reduce((sum, gap) => sum + gap, 0),
      longestGapMs: Math.max(0, ...gaps),
    }
    longTasks.length = 0
    gaps.length = 0
    return found
  })

/**
 * Traces a page's main thread until the returned function is called.
 * @returns which gives the longest task since, ms of the processor's time: what others took meanwhile does not count
 */
export async function traceTasks(browser, page) {
  await browser.startTracing(page, { categories: ['toplevel'] })
  return async () => {
    const { traceEvents } = JSON.parse((await browser.stopTracing()).toString())
    const threads = traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`)
    const tasks = traceEvents.filter(({ pid, tid, tdur }) => tdur > 0 && threads.includes(`${pid} ${tid}`))
    if (tasks.length === 0) throw new Error('the browser has traced no task of a main thread')
    return Math.max(...tasks.map(({ tdur }) => tdur)) / 1000
  }
}

/** The same in words. */
export const mainThreadText = ({ longestTaskMs, longTasks, framesPerSecond, longestGapMs }) =>
  `${framesPerSecond.toFixed(0)} pictures a second, at most ${longestGapMs.toFixed(0)} ms apart; ` +
  `${longTasks} tasks of 50 ms and more, the longest ${longestTaskMs.toFixed(0)} ms`
