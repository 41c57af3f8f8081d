// The application drawn: who calls whom, what is wrong, what the slowest request waited for, who is named.
import { shape } from '../shell/dom.js'
import { Drawing, type Picture } from '../shell/part.js'
import type { GraphMoment, MitigationStart, PlacedService } from './protocol.js'

const MARGIN = { x: 14, y: 20, right: 120 }
const ROW = 34 // pixels that a service needs at least
const NAMED_WIDTH = 120 // of a layer: with less, only those that matter have their names

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
    const height = Math.max(280, Math.min(520, tallest * ROW)) + 2 * MARGIN.y
    const allNamed = width / layers >= NAMED_WIDTH
    const at = ({ x, y }: PlacedService): readonly [number, number] => [
      MARGIN.x + x * (width - MARGIN.x - (allNamed ? MARGIN.right : 84)),
      MARGIN.y + y * (height - 2 * MARGIN.y),
    ]
    const path = new Map(this.#moment?.path.map(({ service, share01 }) => [service, share01]))
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
    const nodes = services.flatMap((service, i) => this.#node(i, service, at(service), path.get(i), allNamed))
    return { shapes: [...arcs, ...nodes], words: this.#words(), height }
  }

  #node(
    i: number,
    { name }: PlacedService,
    [x, y]: readonly [number, number],
    share01: number | undefined,
    allNamed: boolean,
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
    if (allNamed || matters) {
      const text = shape('text', { class: matters ? 'name matters' : 'name', x: x + radius + 7, y: y + 4 }, name)
      parts.push(text)
    }
    if (anomaly) parts.push(shape('text', { class: 'kind', x: x + radius + 7, y: y + 17 }, anomaly.kind))
    return parts
  }

  #words(): string {
    const nameOf = (i: number): string => this.#start.services[i]!.name
    const { anomalies = [], culprits = [] } = this.#moment ?? {}
    const wrong = anomalies.map(({ service, kind }) => `${kind} at ${nameOf(service)}`).join(', ') || 'nothing is wrong'
    return `${this.#start.services.length} services; ${wrong}; named: ${culprits.map(nameOf).join(', ') || 'nobody'}`
  }
}
