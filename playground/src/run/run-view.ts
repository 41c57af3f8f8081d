// A page whose run is shown by parts: they are made when it starts, drawn together, and taken away together.
import { element, showProgress } from '../shell/dom.js'
import type { Part } from '../shell/part.js'
import { showLegend, showResults } from './controllers.js'
import type { RunStory, Started } from './protocol.js'
import { type RunPage, setUpRunPage, tell } from './run-page.js'

export interface RunView<Options, Start, Step, Parts>
  extends Pick<RunPage<Options, RunStory<Start, Step>>, 'worker' | 'read' | 'pace'> {
  /** What shows a run that starts. */
  readonly parts: (start: Started<Start>) => Parts
  /** Gives the parts what is new. @returns how far the run is, in words and as a share */
  readonly show: (step: Step, parts: Parts, start: Started<Start>) => readonly [text: string, share01: number]
  /** What is said to be done at the end. */
  readonly end: string
}

export function setUpRunView<Options, Start, Step, Parts extends Readonly<Record<string, Part>>>(
  view: RunView<Options, Start, Step, Parts>,
): void {
  let shown: { readonly start: Started<Start>; readonly parts: Parts } | undefined
  const partsShown = (): readonly Part[] => (shown ? Object.values(shown.parts) : [])

  function clear(): void {
    for (const part of partsShown()) part.dispose()
    shown = undefined
    element('outcome').hidden = true
  }

  function draw(): void {
    for (const part of partsShown()) part.draw()
  }

  function show(event: RunStory<Start, Step>): void {
    switch (event.type) {
      case 'note':
        tell(event.text)
        showProgress(undefined)
        break
      case 'start':
        clear()
        shown = { start: event, parts: view.parts(event) }
        showLegend(event.controllers)
        break
      case 'step':
        tell(...view.show(event, shown!.parts, shown!.start))
        break
      case 'done':
        showResults(event.table, event.findings)
        tell(`done: ${view.end}`)
        break
      default:
        event satisfies never
    }
  }

  setUpRunPage<Options, RunStory<Start, Step>>({
    ...{ worker: view.worker, read: view.read, pace: view.pace, clear, show, draw },
    redraw() {
      if (shown) showLegend(shown.start.controllers)
      draw()
    },
  })
}
