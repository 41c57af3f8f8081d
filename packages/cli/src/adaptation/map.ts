// The map of embeddings: each pair a point, near those that behave alike.
import { type EmbeddingRecord, principalPlane } from '@trimtab/studies'
import { escapeHtml, fixed } from '../report/format.js'

const WIDTH = 1000
const HEIGHT = 460
const MARGIN = 30
const MOST_LABELS = 40 // with more, names would hide points

export function renderMap(embeddings: readonly EmbeddingRecord[]): string {
  if (embeddings.length < 3) return ''
  const { points, shares } = principalPlane(embeddings.map(({ z }) => z))
  const x = between(
    points.map(([value]) => value),
    MARGIN,
    WIDTH - MARGIN,
  )
  const y = between(
    points.map(([, value]) => value),
    HEIGHT - MARGIN,
    MARGIN,
  )
  const dots = embeddings.map(({ pair }, i) => {
    const [px, py] = points[i]!
    const at = `${fixed(x(px), 1)}" cy="${fixed(y(py), 1)}`
    return `<circle cx="${at}" r="7"><title>${escapeHtml(pair)}</title></circle>`
  })
  const labels =
    embeddings.length > MOST_LABELS
      ? []
      : embeddings.map(({ pair }, i) => {
          const [px, py] = points[i]!
          return `<text x="${fixed(x(px) + 10, 1)}" y="${fixed(y(py) + 4, 1)}">${escapeHtml(pair)}</text>`
        })
  const seen = Math.round(100 * (shares[0] + shares[1]))
  return `<section><h2>Embeddings</h2><p class="lead">Pairs that behaved alike lie together; the plane shows ${seen} % of their differences.</p>
<svg class="map" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="Map of ${embeddings.length} embeddings">${dots.join('')}${labels.join('')}</svg></section>`
}

/** From the values' range to [from, to]; to the middle when all are equal. */
function between(values: readonly number[], from: number, to: number): (value: number) => number {
  const low = Math.min(...values)
  const high = Math.max(...values)
  return (value) => (high > low ? from + ((value - low) / (high - low)) * (to - from) : (from + to) / 2)
}
