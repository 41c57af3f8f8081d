// The visitor's own run of each page, as short as its form allows.

/** By page: what is set before the run. */
const FIELDS = {
  index: { days: '1' },
  microservices: { seconds: '10' },
  tenants: { episodes: '10' },
  adaptation: { episodes: '2' },
  traces: { sample: 'train-two' },
  serving: { count: '5000', speed: '4' },
}

/** Names of the pages that run something. */
export const OWN_RUNS = Object.keys(FIELDS)

/** @param count  of requests that a page serves, which shows an older run until the new one is there */
const isOver = (count) => {
  const { classList, textContent } = document.querySelector('[data-testid=status]')
  if (classList.contains('failed')) return true
  if (count === undefined) return /^done: | s$/.test(textContent)
  return document.querySelector('[data-testid=lane-oracle]').textContent.includes(`${count} of ${count} done`)
}

/**
 * Asks for the run and waits for its end.
 * @throws {Error} what the page says is wrong
 */
export async function runOwn(page, name) {
  for (const [field, value] of Object.entries(FIELDS[name])) {
    const control = page.locator(`[name=${field}]`)
    await (field === 'sample' ? control.selectOption(value) : control.fill(value))
  }
  const button = page.getByTestId('run')
  if ((await button.count()) > 0) await button.click()
  await page.waitForFunction(isOver, FIELDS[name].count)
  if ((await page.locator('#status.failed').count()) > 0)
    throw new Error(`${name}: ${await page.getByTestId('status').textContent()}`)
}
