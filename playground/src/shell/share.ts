// A link that restores a form: its settings, the seed among them, in the query of the page's address. Files stay where they are.
import { element, leaveNote } from './dom.js'

const COPIED_MS = 2000
const LONGEST_TEXT = 60 // of what somebody put into a link

/** Sets the form as the address says; what does not fit is left as it was, and said. @returns whether anything of it was restored */
export function restoreForm(form: HTMLFormElement): boolean {
  const ignored: string[] = []
  let isRestored = false
  for (const [name, value] of new URLSearchParams(location.search)) {
    const control = form.elements.namedItem(name)
    if (control && fits(control, value)) isRestored = true
    else ignored.push(`${name}=${value}`.slice(0, LONGEST_TEXT))
  }
  leaveNote(ignored.length > 0 ? `Not in this form, and ignored: ${ignored.join(', ')}` : '')
  return isRestored
}

function fits(control: Element | RadioNodeList, value: string): boolean {
  if (control instanceof RadioNodeList) {
    const before = control.value
    control.value = value
    if (control.value === value) return true
    control.value = before
    return false
  }
  if (!(control instanceof HTMLInputElement || control instanceof HTMLSelectElement)) return false
  if (control.type === 'file') return false
  if (control.type === 'checkbox') {
    if (value !== '0' && value !== '1') return false
    ;(control as HTMLInputElement).checked = value === '1'
    return true
  }
  const before = control.value
  control.value = value
  const isTaken = control.value === value && control.checkValidity()
  if (!isTaken) control.value = before
  return isTaken
}

export function addressOf(form: HTMLFormElement): string {
  const settings = new URLSearchParams()
  for (const [name, value] of new FormData(form)) if (typeof value === 'string') settings.append(name, value)
  for (const box of checkboxes(form)) settings.set(box.name, box.checked ? '1' : '0') // one without a tick is no form data
  const { origin, pathname } = location
  return `${origin}${pathname}?${settings}`
}

const inputs = (form: HTMLFormElement): HTMLInputElement[] =>
  [...form.elements].filter((one) => one instanceof HTMLInputElement)
const checkboxes = (form: HTMLFormElement): HTMLInputElement[] =>
  inputs(form).filter(({ type, name }) => type === 'checkbox' && name !== '')
const hasFile = (form: HTMLFormElement): boolean => inputs(form).some(({ files }) => (files?.length ?? 0) > 0)

/**
 * The button puts the form into the page's address and on the clipboard, and says so itself: the status may be telling of a run.
 * @param holdsFile  whether the page works on a file that the form does not hold, as one that was dropped
 */
export function setUpShare(form: HTMLFormElement, holdsFile: () => boolean = () => false): void {
  const button = element('share')
  const label = button.textContent
  let timer: ReturnType<typeof setTimeout> | undefined
  button.addEventListener('click', async () => {
    const address = addressOf(form)
    history.replaceState(null, '', address)
    const isCopied = await copy(address)
    button.textContent = isCopied ? 'Copied' : 'In the address'
    clearTimeout(timer)
    timer = setTimeout(() => {
      button.textContent = label
    }, COPIED_MS)
    const what = hasFile(form) || holdsFile() ? 'settings only: your file stays here' : 'these settings and the seed'
    leaveNote(`${isCopied ? 'The link' : 'The address of this page now'} restores ${what}`)
  })
}

async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false // no clipboard here
  }
}
