// One look for each controller, everywhere: told apart by colour (safe for the common colour blindnesses), by dash and by width.
import type { AutoscalerSummary } from '@trimtab/studies'

/** How a controller is drawn in every plot: CSS colours for light and dark pages, and its line. */
export interface ControllerStyle {
  readonly light: string
  readonly dark: string
  /** SVG dash array in pixels; empty is a solid line. */
  readonly dash: string
  readonly width: number
}

type Named = Pick<AutoscalerSummary, 'name' | 'kind'>

const KNOWN: Readonly<Record<string, ControllerStyle>> = {
  trimtab: { light: '#0a5fd0', dark: '#5fb0ff', dash: '', width: 2.6 },
  margin: { light: '#5b2bd6', dark: '#b49bff', dash: '2 3', width: 1.8 },
  resize: { light: '#00825f', dark: '#3fd0a4', dash: '', width: 2 },
  'hpa-vpa': { light: '#d4690a', dark: '#ffab5c', dash: '', width: 2 },
  'hpa-headroom': { light: '#b03a86', dark: '#f08cc8', dash: '7 3', width: 1.5 },
  forecast: { light: '#8a6d00', dark: '#e0c341', dash: '2 3', width: 1.5 },
  bandit: { light: '#8c4a2f', dark: '#d9a083', dash: '6 2 1 2', width: 1.5 },
  static: { light: '#6f7785', dark: '#9aa4b5', dash: '1 4', width: 1.5 },
  oracle: { light: '#30353d', dark: '#e3e7ee', dash: '3 3', width: 1.5 },
}

const BY_KIND: Readonly<Record<AutoscalerSummary['kind'], ControllerStyle>> = {
  rule: { light: '#8a6d00', dark: '#e0c341', dash: '', width: 1.5 },
  learner: { light: '#6b51b5', dark: '#b7a3f7', dash: '2 3', width: 1.7 },
  bound: { light: '#6f7785', dark: '#9aa4b5', dash: '6 2 1 2', width: 1.5 },
}

/** The style of a controller: of its own where it is one of ours, else that of its kind. */
export const styleOf = ({ name, kind }: Named): ControllerStyle => KNOWN[name] ?? BY_KIND[kind]

/** The controller's name as a CSS class: letters, digits and dashes only. */
export const cssKey = (name: string): string => `c-${name.toLowerCase().replace(/[^a-z0-9]+/g, '-')}`

/** The line that stands for a controller in a legend. */
export function swatch(controller: Named): string {
  const { dash, width } = styleOf(controller)
  return `<svg class="swatch ${cssKey(controller.name)}" viewBox="0 0 28 10" aria-hidden="true"><path d="M1 5H27" stroke-width="${width + 0.4}" stroke-dasharray="${dash}"/></svg>`
}
