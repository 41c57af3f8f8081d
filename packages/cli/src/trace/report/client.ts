/**
 * What the parts do in a browser: choice of the request, flame graph that zooms, is searched and walked with the keys.
 * Called by a page for the element that holds the parts, as often as they are rendered anew; and written into the
 * stand-alone page as text, so it must not use anything from outside its own body. Without it everything is still shown.
 */
export function mountTraceReport(root: HTMLElement): void {
  const all = <E extends Element>(selector: string) => [...root.querySelectorAll<E>(selector)]

  const chooser = root.querySelector<HTMLSelectElement>('[data-waterfalls]')
  const every = root.querySelector<HTMLInputElement>('[data-every-span]')
  const waterfalls = all<HTMLElement>('.waterfall')
  const showWaterfall = () => {
    const wanted = every?.checked ? 'full' : 'compact'
    for (const one of waterfalls) {
      const { request, view } = one.dataset
      one.hidden = request !== (chooser?.value ?? '0') || (view !== 'only' && view !== wanted)
    }
  }
  chooser?.addEventListener('change', showWaterfall)
  every?.addEventListener('change', showWaterfall)
  showWaterfall()
  // The line is drawn over the lanes, whose place only the layout knows.
  const alignLines = () => {
    for (const waterfall of waterfalls) {
      const axis = waterfall.querySelector<HTMLElement>('.axis')!
      const body = waterfall.querySelector<HTMLElement>('.wf-body')!
      for (const { style } of waterfall.querySelectorAll<SVGElement>('.wf-lines')) {
        style.left = `${axis.offsetLeft - body.offsetLeft}px`
        style.width = `${axis.offsetWidth}px`
      }
    }
  }
  const watch = new ResizeObserver(alignLines)
  for (const waterfall of waterfalls) watch.observe(waterfall)

  const graph = root.querySelector<HTMLElement>('.fl-box')
  if (!graph) return
  const words = root.querySelector<HTMLElement>('[data-flame-words]')!
  const reset = root.querySelector<HTMLElement>('[data-flame-reset]')!
  const search = root.querySelector<HTMLInputElement>('[data-flame-search]')!
  const found = root.querySelector<HTMLElement>('.found')!
  const narrowest01 = Number(graph.dataset.narrowest)
  const boxes = all<HTMLElement>('.fl').map((element) => ({
    element,
    text: element.textContent!.toLowerCase(),
    from01: Number(element.dataset.x),
    width01: Number(element.dataset.w),
    depth: Number(element.dataset.d),
  }))
  type Box = (typeof boxes)[number]
  const boxOf = new Map<EventTarget, Box>(boxes.map((box) => [box.element, box]))
  let view = { from01: 0, width01: 1, depth: 0 }

  const draw = () => {
    const end = view.from01 + view.width01
    for (const box of boxes) {
      const { element, from01, width01, depth } = box
      const isAbove = depth < view.depth && from01 <= view.from01 + 1e-9 && from01 + width01 >= end - 1e-9
      const isInside = depth >= view.depth && from01 >= view.from01 - 1e-9 && from01 + width01 <= end + 1e-9
      const width = isAbove ? 1 : width01 / view.width01
      element.hidden = !isAbove && (!isInside || width < narrowest01)
      element.classList.toggle('above', isAbove)
      element.style.left = `${isAbove ? 0 : ((from01 - view.from01) / view.width01) * 100}%`
      element.style.width = `${width * 100}%`
    }
    reset.hidden = view.width01 === 1 && view.depth === 0
  }
  const zoom = (box: Box | undefined) => {
    view = box ?? { from01: 0, width01: 1, depth: 0 }
    draw()
  }
  const say = ({ element }: Box) => {
    const [name, ...rest] = element.getAttribute('aria-label')!.split(' · ')
    words.replaceChildren(Object.assign(document.createElement('b'), { textContent: name }), ` · ${rest.join(' · ')}`)
  }
  const focus = (box: Box | undefined) => {
    if (!box) return
    for (const { element } of boxes) element.tabIndex = -1
    box.element.tabIndex = 0
    box.element.focus()
  }
  const isShown = (box: Box) => !box.element.hidden
  const neighbour = (from: Box, key: string): Box | undefined => {
    const middle = from.from01 + from.width01 / 2
    const holds = (box: Box) => box.from01 <= middle && box.from01 + box.width01 >= middle
    const row = boxes.filter((box) => box.depth === from.depth && isShown(box)).sort((a, b) => a.from01 - b.from01)
    switch (key) {
      case 'ArrowUp':
        return boxes.find((box) => box.depth === from.depth - 1 && isShown(box) && holds(box))
      case 'ArrowDown':
        return boxes
          .filter((box) => box.depth === from.depth + 1 && isShown(box))
          .find((box) => box.from01 >= from.from01 - 1e-9 && box.from01 < from.from01 + from.width01)
      case 'ArrowLeft':
        return row[row.indexOf(from) - 1]
      case 'ArrowRight':
        return row[row.indexOf(from) + 1]
      default:
        return undefined
    }
  }
  const boxAt = (event: Event) => boxOf.get((event.target as Element).closest('.fl') ?? graph)
  graph.addEventListener('pointerover', (event) => {
    const box = boxAt(event)
    if (box) say(box)
  })
  graph.addEventListener('focusin', (event) => {
    const box = boxAt(event)
    if (box) say(box)
  })
  graph.addEventListener('click', (event) => {
    const box = boxAt(event)
    if (!box) return
    zoom(box)
    focus(box)
  })
  graph.addEventListener('keydown', (event) => {
    const box = boxAt(event)
    if (!box) return
    if (event.key.startsWith('Arrow')) focus(neighbour(box, event.key))
    else if (event.key === 'Enter' || event.key === ' ') zoom(box)
    else if (event.key === 'Escape') zoom(undefined)
    else return
    event.preventDefault()
  })
  reset.addEventListener('click', () => zoom(undefined))
  search.addEventListener('input', () => {
    const wanted = search.value.trim().toLowerCase()
    graph.classList.toggle('searching', wanted !== '')
    // Time below several matches of one stack counts once.
    const matches = boxes.filter((box) => wanted !== '' && box.text.includes(wanted))
    for (const box of boxes) box.element.classList.toggle('match', matches.includes(box))
    let end01 = 0
    let share01 = 0
    for (const { from01, width01 } of [...matches].sort((a, b) => a.from01 - b.from01 || b.width01 - a.width01)) {
      share01 += Math.max(0, from01 + width01 - Math.max(from01, end01))
      end01 = Math.max(end01, from01 + width01)
    }
    found.textContent = wanted === '' ? '' : `${matches.length} found, ${(share01 * 100).toFixed(1)} % of the time`
  })
  draw()
}

/** The client as a script's text, with the switch between the themes that only the stand-alone page needs. */
export const clientScript = (): string => `(${mountTraceReport.toString()})(document.body);
document.getElementById('theme').addEventListener('click',()=>{const d=document.documentElement.dataset;
d.theme=(d.theme?d.theme==='dark':matchMedia('(prefers-color-scheme: dark)').matches)?'light':'dark'})`
