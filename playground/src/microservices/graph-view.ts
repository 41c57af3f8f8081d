// The application drawn: who calls whom, what is wrong, what the slowest request waited for, who is named.
import { shape } from '../shell/dom.js'
import { Drawing, type Picture } from '../shell/part.js'
import type { GraphMoment, MitigationStart, PlacedService } from './protocol.js'

const MARGIN = { x: 14, y: 20, right: 120 }
const ROW = 34 // pixels that a service needs at least
const NAMED_WIDTH = 120 // of a layer: with less, names stand below their services
const WRAPPED_WIDTH = 62 // with less than that, only those that matter and the heaviest of the path have names
const HEAVIEST = 3
const WRAPPED_ROW = 52
const LINE = 11 // pixels of a name's line
const LINE_LETTERS = 12
const KINDS: Readonly<Record<string, string>> = { llc: 'cache (llc)' }

type Naming = 'beside' | 'below' | 'few'

export class GraphView extends Drawing {
  readonly #start: MitigationStart
  #moment: GraphMoment | undefined

  constructor(container: HTMLElement, start: MitigationStart) {
    super(container)
    this.#start = start
  }

  show(moment: GraphMoment): void {
    this.#moment = moment
  }

  protected override picture(width: number): Picture {
    const { services, calls } = this.#start
    const layers = new Set(services.map(({ x }) => x)).size
    const tallest = Math.max(
      ...[...new Set(services.map(({ x }) => x))].map((at) => services.filter(({ x }) => x === at).length),
    )
    const column = width / layers
    const naming: Naming = column >= NAMED_WIDTH ? 'beside' : column >= WRAPPED_WIDTH ? 'below' : 'few'
    const isBelow = naming === 'below'
    const height =
      (isBelow ? Math.max(280, tallest * WRAPPED_ROW) : Math.max(280, Math.min(520, tallest * ROW))) + 2 * MARGIN.y
    const left = isBelow ? column / 2 : MARGIN.x
    const right = isBelow ? column / 2 : naming === 'beside' ? MARGIN.right : 84
    const at = ({ x, y }: PlacedService): readonly [number, number] => [
      left + x * (width - left - right),
      MARGIN.y + y * (height - 2 * MARGIN.y),
    ]
    const path = new Map(this.#moment?.path.map(({ service, share01 }) => [service, share01]))
    const lightestNamed01 = [...path.values()].sort((a, b) => b - a)[HEAVIEST - 1] ?? 0
    const arcs = calls.map(([from, to]) => {
      const [x1, y1] = at(services[from]!)
      const [x2, y2] = at(services[to]!)
      const isOn = path.has(from) && path.has(to)
      const bend = (x2 - x1) / 2
      return shape('path', {
        class: isOn ? 'call on' : 'call',
        d: `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`,
      })
    })
    const nodes = services.flatMap((service, i) =>
      this.#node(i, service, at(service), path.get(i), naming, lightestNamed01),
    )
    return { shapes: [...arcs, ...nodes], words: this.#words(), height }
  }

  #node(
    i: number,
    { name }: PlacedService,
    [x, y]: readonly [number, number],
    share01: number | undefined,
    naming: Naming,
    lightestNamed01: number,
  ): SVGElement[] {
    const anomaly = this.#moment?.anomalies.find(({ service }) => service === i)
    const isCulprit = this.#moment?.culprits.includes(i) ?? false
    const isRaised = this.#moment?.raised.includes(i) ?? false
    const radius = 5 + 9 * Math.sqrt(share01 ?? 0)
    const parts: SVGElement[] = []
    if (anomaly) parts.push(shape('circle', { class: 'anomaly', cx: x, cy: y, r: radius + 5 + 4 * anomaly.level01 }))
    if (isRaised) {
      const side = 2 * radius + 8
      parts.push(shape('rect', { class: 'raised', x: x - side / 2, y: y - side / 2, width: side, height: side, rx: 4 }))
    }
    const looks = `node${share01 === undefined ? '' : ' on'}${isCulprit ? ' culprit' : ''}`
    parts.push(shape('circle', { class: looks, cx: x, cy: y, r: radius }))
    const matters = anomaly !== undefined || isCulprit
    const looksOfName = matters ? 'name matters' : 'name'
    const kind = anomaly && (KINDS[anomaly.kind] ?? anomaly.kind)
    if (naming === 'below') {
      const lines = linesOf(name)
      const top = y + radius + 12
      for (const [line, text] of lines.entries())
        parts.push(shape('text', { class: `${looksOfName} below`, x, y: top + line * LINE }, text))
      if (kind !== undefined) parts.push(shape('text', { class: 'kind below', x, y: top + lines.length * LINE }, kind))
      return parts
    }
    if (naming === 'beside' || matters || (share01 ?? -1) >= lightestNamed01)
      parts.push(shape('text', { class: looksOfName, x: x + radius + 7, y: y + 4 }, name))
    if (kind !== undefined) parts.push(shape('text', { class: 'kind', x: x + radius + 7, y: y + 17 }, kind))
    return parts
  }

  #words(): string {
    const nameOf = (i: number): string => this.#start.services[i]!.name
    const { anomalies = [], culprits = [] } = this.#moment ?? {}
    const wrong = anomalies.map(({ service, kind }) => `${kind} at ${nameOf(service)}`).join(', ') || 'nothing is wrong'
    return `${this.#start.services.length} services; ${wrong}; named: ${culprits.map(nameOf).join(', ') || 'nobody'}`
  }
}

/** A name in lines, broken behind its hyphens. */
function linesOf(name: string): string[] {
  const lines = ['']
  for (const piece of name.split(/(?<=-)/)) {
    if (lines.at(-1)!.length > 0 && lines.at(-1)!.length + piece.length > LINE_LETTERS) lines.push('')
    lines[lines.length - 1] += piece
  }
  return lines
}
