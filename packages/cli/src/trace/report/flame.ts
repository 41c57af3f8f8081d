// The call paths of many requests as a flame graph: a box for each, as wide as the time that it and its callees own.
import { escapeHtml } from '../../report/format.js'
import type { ServiceColours } from './colours.js'
import { count, duration, percent, plural } from './format.js'
import type { FlameView } from './types.js'

/** Narrower boxes are hidden until their surroundings are zoomed into. */
const NARROWEST01 = 0.0008

export function renderFlame(flame: FlameView, colours: ServiceColours): string {
  if (flame.parent.length === 0) return ''
  const boxes = layOut(flame)
  const depth = boxes.reduce((deepest, box) => Math.max(deepest, box.depth), 0) + 1
  const each = flame.requests > 0 ? 1 / flame.requests : 1
  const marks = boxes.map(({ node, depth: level, from01, width01 }) => {
    const { service, operation } = flame.frames[flame.frame[node]!]!
    const own = flame.selfUs[node]! * each
    const whole = width01 * flame.totalUs * each
    const words = [
      `${service}: ${operation}`,
      `${percent(width01)} of the path, ${duration(whole)} a request`,
      `${duration(own)} of it its own`,
      plural(flame.calls[node]!, 'call'),
    ].join(' · ')
    return `<div class="fl" role="treeitem" aria-level="${level + 1}" tabindex="${node === boxes[0]!.node ? 0 : -1}" aria-label="${escapeHtml(words)}" data-x="${from01.toFixed(6)}" data-w="${width01.toFixed(6)}" data-d="${level}" style="${colours.style(service)};left:${(from01 * 100).toFixed(4)}%;width:${(width01 * 100).toFixed(4)}%;top:calc(var(--row)*${level})"${width01 < NARROWEST01 ? ' hidden' : ''}>${escapeHtml(service)}${operation ? ` <span>${escapeHtml(operation)}</span>` : ''}</div>`
  })
  const omitted =
    flame.omitted > 0
      ? ` ${plural(flame.omitted, 'call path')} with next to no time ${flame.omitted === 1 ? 'is' : 'are'} not drawn.`
      : ''
  return `<section class="flame" aria-labelledby="h-flame"><h2 id="h-flame">Where the time goes</h2><p class="lead">Call paths of ${plural(flame.requests, 'request')} together; a box is as wide as the time it holds on the critical paths. Click one to zoom, Escape to come back.${omitted}</p>
<div class="bar-row"><label>Find <input type="search" data-flame-search placeholder="service or operation" autocomplete="off"></label><span class="found muted" role="status"></span><button type="button" data-flame-reset hidden>Whole graph</button></div>
<div class="fl-box" role="tree" aria-label="Flame graph of ${count(boxes.length)} call paths; arrow keys move, Enter zooms" style="--depth:${depth}" data-narrowest="${NARROWEST01}">${marks.join('')}</div>
<p class="fl-words" role="status" data-flame-words>Point at a box, or focus the graph and use the arrow keys.</p></section>`
}

interface Box {
  readonly node: number
  readonly depth: number
  readonly from01: number
  readonly width01: number
}

/** Boxes of one caller side by side, the largest first. */
function layOut({ parent, wholeUs, totalUs }: FlameView): Box[] {
  const below: number[][] = parent.map(() => [])
  const top: number[] = []
  parent.forEach((caller, node) => {
    const side = caller < 0 ? top : below[caller]!
    side.push(node)
  })
  const boxes: Box[] = []
  const open: Box[] = []
  const place = (nodes: readonly number[], depth: number, from01: number) => {
    let at01 = from01
    const placed = [...nodes]
      .sort((a, b) => wholeUs[b]! - wholeUs[a]! || a - b)
      .map((node) => {
        const width01 = wholeUs[node]! / Math.max(totalUs, 1e-9)
        at01 += width01
        return { node, depth, from01: at01 - width01, width01 }
      })
    open.push(...placed.reverse())
  }
  place(top, 0, 0)
  while (open.length > 0) {
    const box = open.pop()!
    boxes.push(box)
    place(below[box.node]!, box.depth + 1, box.from01)
  }
  return boxes
}
