/**
 * What the report does in the browser: theme, choice of application and controllers, reading values with pointer or keys.
 * It is written into the page as text (`clientScript`), so it must not use anything from outside its own body.
 * Without it the page still shows every chart.
 */
function reportClient(): void {
  const all = <E extends Element>(selector: string, root: ParentNode = document) => [
    ...root.querySelectorAll<E>(selector),
  ]
  const root = document.documentElement
  document.getElementById('theme')?.addEventListener('click', () => {
    const isDark = root.dataset.theme
      ? root.dataset.theme === 'dark'
      : matchMedia('(prefers-color-scheme: dark)').matches
    root.dataset.theme = isDark ? 'light' : 'dark'
  })

  const section = document.getElementById('timelines')
  const readout = document.getElementById('readout')
  const chooser = document.getElementById('app') as HTMLSelectElement | null
  if (!section || !readout || !chooser) return
  const report = JSON.parse(document.getElementById('trimtab-report')!.textContent!)
  const blocks = all<HTMLElement>('.app', section)
  const boxes = all<HTMLInputElement>('input[data-series]', section)

  const showApp = () => {
    for (const block of blocks) block.hidden = block.dataset.app !== chooser.value
    readout.hidden = true
  }
  const showSeries = () => {
    for (const { dataset, checked } of boxes) section.classList.toggle(`hide-${dataset.series}`, !checked)
  }
  chooser.addEventListener('change', showApp)
  for (const box of boxes) box.addEventListener('change', showSeries)
  showApp()
  showSeries()

  const digits: Record<string, number> = { replicas: 1, requestsPerSecond: 1, dollarsPerHour: 4 }
  const show = (plot: HTMLElement, at01: number) => {
    const figure = plot.closest<HTMLElement>('figure')!
    const block = plot.closest<HTMLElement>('.app')!
    const field = figure.dataset.field!
    const timelines = report.timelines.filter((timeline: { app: string }) => timeline.app === block.dataset.name)
    const steps = timelines[0][field].length
    const step = Math.min(steps - 1, Math.max(0, Math.round(at01 * (steps - 1))))
    const format = (value: number | null) => (value === null ? '–' : value.toFixed(digits[field] ?? 2))
    const rows = boxes.flatMap((box, i) => {
      const { name, label } = report.controllers[i]
      const timeline = timelines.find((one: { controller: string }) => one.controller === name)
      return box.checked && timeline ? [{ key: box.dataset.series!, label, value: format(timeline[field][step]) }] : []
    })
    const shown = field === 'requestsPerSecond' ? [{ key: 'load', label: 'load', value: rows[0]?.value ?? '–' }] : rows
    const minutes = (step * timelines[0].stepSeconds) / 60
    readout.replaceChildren(
      Object.assign(document.createElement('b'), { textContent: `${minutes.toFixed(minutes < 10 ? 1 : 0)} min` }),
      ...shown.map(({ key, label, value }) => {
        const row = document.createElement('div')
        row.append(
          Object.assign(document.createElement('i'), { className: key }),
          Object.assign(document.createElement('span'), { textContent: label }),
          Object.assign(document.createElement('strong'), { textContent: value }),
        )
        return row
      }),
    )
    readout.hidden = false
    block.style.setProperty('--at', `${(step / (steps - 1)) * 100}%`)
    block.classList.add('reading')
    plot.dataset.step = String(step)
    const box = plot.getBoundingClientRect()
    const x = box.left + (step / (steps - 1)) * box.width
    const isLeft = x > innerWidth / 2
    readout.style.left = `${Math.max(8, isLeft ? x - readout.offsetWidth - 14 : x + 14)}px`
    readout.style.top = `${Math.min(innerHeight - readout.offsetHeight - 8, Math.max(8, box.top))}px`
  }
  const hide = () => {
    readout.hidden = true
    for (const block of blocks) block.classList.remove('reading')
  }
  for (const plot of all<HTMLElement>('figure[data-field] .plot', section)) {
    plot.addEventListener('pointermove', ({ clientX }) => {
      const { left, width } = plot.getBoundingClientRect()
      show(plot, (clientX - left) / width)
    })
    plot.addEventListener('pointerleave', hide)
    plot.addEventListener('blur', hide)
    plot.addEventListener('keydown', (event) => {
      const move = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10 }[event.key]
      if (event.key === 'Escape') hide()
      if (move === undefined) return
      event.preventDefault()
      const name = plot.closest<HTMLElement>('.app')!.dataset.name
      const steps = report.timelines.find((timeline: { app: string }) => timeline.app === name).replicas.length
      show(plot, (Number(plot.dataset.step ?? 0) + move) / (steps - 1))
    })
  }
}

/** The client as a script's text. */
export const clientScript = (): string => `(${reportClient.toString()})()`
