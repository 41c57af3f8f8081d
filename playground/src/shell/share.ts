// A link that restores a form: its settings, the seed among them, in the query of the page's address. Files stay where they are.
import { element, say } from './dom.js'

/** Sets the form as the address says; what does not fit is left as it was. @returns whether the address says anything */
export function restoreForm(form: HTMLFormElement): boolean {
  let isRestored = false
  for (const [name, value] of new URLSearchParams(location.search)) {
    const control = form.elements.namedItem(name)
    if (control && fits(control, value)) isRestored = true
  }
  return isRestored
}

function fits(control: Element | RadioNodeList, value: string): boolean {
  if (control instanceof RadioNodeList) {
    control.value = value
    return control.value === value
  }
  if (!(control instanceof HTMLInputElement || control instanceof HTMLSelectElement)) return false
  if (control.type === 'file') return false
  const before = control.value
  control.value = value
  const isTaken = control.value === value && control.checkValidity()
  if (!isTaken) control.value = before
  return isTaken
}

export function addressOf(form: HTMLFormElement): string {
  const settings = [...new FormData(form)].filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  const { origin, pathname } = location
  return `${origin}${pathname}?${new URLSearchParams(settings)}`
}

/** The button puts the form into the page's address and on the clipboard. */
export function setUpShare(form: HTMLFormElement): void {
  element('share').addEventListener('click', async () => {
    const address = addressOf(form)
    history.replaceState(null, '', address)
    try {
      await navigator.clipboard.writeText(address)
      say('link copied: it restores these settings and the seed')
    } catch {
      say('the address of this page now restores these settings and the seed') // no clipboard here
    }
  })
}
