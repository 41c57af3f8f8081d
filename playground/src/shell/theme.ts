// Light or dark: as the system has it until somebody chooses, then as chosen, on every page.
import { element } from './dom.js'

const KEY = 'trimtab-theme'
const root = document.documentElement

export const isDark = (): boolean => root.dataset.theme === 'dark'

/** The value of a colour of the theme, for what is drawn on a canvas. */
export const colour = (name: string): string => getComputedStyle(root).getPropertyValue(name).trim()

/** @param redraw  for what does not follow the style sheet by itself */
export function setUpTheme(redraw: () => void = () => {}): void {
  root.dataset.theme = remembered() ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')
  element('theme').addEventListener('click', () => {
    root.dataset.theme = isDark() ? 'light' : 'dark'
    remember(root.dataset.theme)
    redraw()
  })
}

function remembered(): string | null {
  try {
    return localStorage.getItem(KEY)
  } catch {
    return null // a browser may forbid it: then each page follows the system
  }
}

function remember(theme: string): void {
  try {
    localStorage.setItem(KEY, theme)
  } catch {
    // as above
  }
}
