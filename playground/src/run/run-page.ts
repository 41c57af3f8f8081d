// A page that runs something: the recorded run plays when it opens, then the visitor's own, each in a worker of its own.
import { element, foldSettings, leaveNote, prefersStill, say, setComputing, showProgress } from '../shell/dom.js'
import { restoreForm, setUpShare } from '../shell/share.js'
import { setUpTheme } from '../shell/theme.js'
import type { FromWorker, RunEvent, ToWorker } from './protocol.js'

const REPLAY_SECONDS = 24

export interface RunPage<Options, Event extends RunEvent> {
  readonly worker: () => Worker
  /** What the form says. @throws {Error} what is wrong with it */
  readonly read: () => Options | Promise<Options>
  /** Steps a second of one's own runs. */
  readonly pace: () => number
  /** Takes away what the last run left. */
  readonly clear: () => void
  readonly show: (event: Event) => void
  /** Draws what was shown. */
  readonly draw: () => void
  /** The same and all else that has a colour, after a change of the theme. */
  readonly redraw: () => void
  /** Whether what the address asks for may run by itself. Default: it may. */
  readonly startsFromLink?: () => boolean
}

export interface RunControls {
  setPace(stepsPerSecond: number): void
  /** Plays the recorded run. */
  replay(): void
  /** Takes away what is shown, for something that has not run yet. */
  leave(text: string): void
}

export function setUpRunPage<Options, Event extends RunEvent>(page: RunPage<Options, Event>): RunControls {
  const form = element<HTMLFormElement>('controls')
  let worker: Worker | undefined
  let isPaused = false
  const send = (message: ToWorker<Options>): void => worker?.postMessage(message)

  const setButtons = (isRunning: boolean): void => {
    element<HTMLButtonElement>('pause').disabled = !isRunning
    element<HTMLButtonElement>('stop').disabled = !isRunning
    element('pause').textContent = isPaused ? 'Resume' : 'Pause'
  }
  const end = (): void => {
    worker?.terminate()
    worker = undefined
    isPaused = false
    setButtons(false)
  }
  const fail = (message: string): void => {
    end()
    page.clear()
    setComputing(false)
    showProgress(0)
    say(message, true)
  }
  let isDrawingSoon = false
  /** However many messages come between two pictures of the screen, they are drawn once. */
  const drawSoon = (): void => {
    if (isDrawingSoon) return
    isDrawingSoon = true
    requestAnimationFrame(() => {
      isDrawingSoon = false
      page.draw()
    })
  }
  const receive = (message: FromWorker<Event>): void => {
    if (message.type === 'failed') {
      fail(message.message)
      return
    }
    for (const event of message.events) {
      if (event.type === 'start') setComputing(false)
      page.show(event)
      if (event.type === 'done') end()
    }
    drawSoon()
  }
  const start = (message: ToWorker<Options>): void => {
    const started = page.worker()
    worker = started
    setButtons(true)
    started.addEventListener('message', ({ data }: MessageEvent<FromWorker<Event>>) => {
      if (worker === started) receive(data)
    })
    started.addEventListener('error', ({ message: why }) => fail(why || 'the worker could not start'))
    send(message)
  }
  const runOwn = async (): Promise<void> => {
    end()
    setComputing(true) // what the last run left stays until this one has something to show
    showProgress(undefined)
    say('starting')
    document.body.dataset.run = 'own'
    try {
      start({ type: 'run', options: await page.read(), stepsPerSecond: prefersStill() ? Infinity : page.pace() })
    } catch (error) {
      fail((error as Error).message)
    }
  }

  setUpTheme(page.redraw)
  setUpShare(form)
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    leaveNote('')
    void runOwn()
  })
  element('pause').addEventListener('click', () => {
    isPaused = !isPaused
    setButtons(true)
    send({ type: 'pause', isPaused })
  })
  const stop = (text: string): void => {
    end()
    setComputing(false)
    showProgress(0)
    say(text)
  }
  const replay = (): void => {
    end()
    setComputing(false)
    document.body.dataset.run = 'recorded'
    start({ type: 'replay', seconds: prefersStill() ? 0 : REPLAY_SECONDS })
  }
  element('stop').addEventListener('click', () => stop('stopped'))
  foldSettings()
  if (restoreForm(form) && (page.startsFromLink?.() ?? true)) void runOwn()
  else replay()
  return {
    setPace: (stepsPerSecond) => send({ type: 'pace', stepsPerSecond }),
    replay,
    leave(text) {
      stop(text)
      page.clear()
    },
  }
}

/** Says how far a run is; of a recorded one, that it is one. */
export function tell(text: string, share01?: number): void {
  say(document.body.dataset.run === 'recorded' ? `recorded run · ${text}` : text)
  if (share01 !== undefined) showProgress(share01)
}
