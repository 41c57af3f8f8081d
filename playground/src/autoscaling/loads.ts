// Shapes of load to choose from: tables of requests per minute, as a user's own file would be.

export interface LoadShape {
  readonly name: string
  readonly label: string
  /** Requests in a minute, any scale: an application stretches the shape to its own peak. */
  readonly perMinute?: (minute: number) => number
}

const DAYS = 7
const dayAngle = (minute: number) => (2 * Math.PI * minute) / 1440

export const LOAD_SHAPES: readonly LoadShape[] = [
  { name: 'generated', label: 'generated from the seed' },
  { name: 'daily', label: 'calm daily rhythm', perMinute: (t) => 600 + 380 * Math.sin(dayAngle(t)) },
  {
    name: 'office',
    label: 'office hours with a lunch dip',
    perMinute: (t) =>
      120 + 700 * Math.max(0, Math.sin(dayAngle(t))) - 260 * Math.max(0, Math.sin(dayAngle(t - 300))) ** 8,
  },
  {
    name: 'flash',
    label: 'flash crowds',
    perMinute: (t) => 260 + 120 * Math.sin(dayAngle(t)) + 900 * Math.exp(-(((t % 517) - 180) ** 2) / 500),
  },
  {
    name: 'steps',
    label: 'sudden steps',
    perMinute: (t) => [220, 640, 380, 900][Math.floor(t / 190) % 4]!,
  },
  { name: 'file', label: 'my own file…' },
]

/** The shape as CSV, or undefined when the run generates its own. */
export function loadOf({ name, perMinute }: LoadShape): { readonly name: string; readonly text: string } | undefined {
  if (!perMinute) return undefined
  const rows = Array.from({ length: DAYS * 1440 }, (_, minute) => `${minute},${Math.round(perMinute(minute))}`)
  return { name, text: `index,requests\n${rows.join('\n')}\n` }
}
