// ROC curves as SVG.

const GRID = Array.from({ length: 201 }, (_, i) => i / 200)

/** The mean true-positive rate of several curves at each false-positive rate of a grid. */
export function meanCurve(curves) {
  return GRID.map((falsePositiveRate) => {
    const rates = curves.map((curve) => heightAt(curve, falsePositiveRate))
    return { falsePositiveRate, truePositiveRate: rates.reduce((sum, rate) => sum + rate, 0) / rates.length }
  })
}

/** Between points of a curve, chance mixes them: a straight line. */
function heightAt(curve, x) {
  const after = curve.findIndex((point) => point.falsePositiveRate > x)
  if (after < 0) return 1
  const [from, to] = [curve[after - 1], curve[after]]
  const share = (x - from.falsePositiveRate) / (to.falsePositiveRate - from.falsePositiveRate)
  return from.truePositiveRate + share * (to.truePositiveRate - from.truePositiveRate)
}

const COLOURS = [
  '#2563eb',
  '#0d9488',
  '#9333ea',
  '#d97706',
  '#dc2626',
  '#65a30d',
  '#db2777',
  '#0891b2',
  '#854d0e',
  '#64748b',
]
const SIZE = 300
const GAP = 60
const LEGEND = 22

/** @param panels  [{ title, right: largest false-positive rate shown, bottom: least true-positive rate shown, lines: [{ name, curve }] }] */
export function rocSvg(panels) {
  const width = panels.length * (SIZE + GAP) + 20
  const height = 60 + SIZE + 40 + LEGEND * Math.max(...panels.map(({ lines }) => lines.length))
  const body = panels.map((panel, i) => panelSvg(panel, GAP + i * (SIZE + GAP), 40)).join('\n')
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="12">
<rect width="${width}" height="${height}" fill="#ffffff"/>
${body}
</svg>
`
}

function panelSvg({ title, right, bottom, lines }, left, top) {
  const x = (rate) => (left + (rate / right) * SIZE).toFixed(1)
  const y = (rate) => (top + ((1 - Math.max(rate, bottom)) / (1 - bottom)) * SIZE).toFixed(1)
  const ticks = [0, 0.25, 0.5, 0.75, 1].flatMap((part) => {
    const [across, up] = [part * right, bottom + part * (1 - bottom)]
    return [
      `<path d="M${x(across)} ${y(0)}V${y(1)}M${x(0)} ${y(up)}H${x(right)}" stroke="#e5e7eb"/>`,
      `<text x="${x(across)}" y="${top + SIZE + 16}" text-anchor="middle" fill="#374151">${+across.toFixed(3)}</text>`,
      `<text x="${left - 6}" y="${+y(up) + 4}" text-anchor="end" fill="#374151">${+up.toFixed(3)}</text>`,
    ]
  })
  const drawn = lines.map(({ name, curve }, i) => {
    const points = curve
      .filter(({ falsePositiveRate }) => falsePositiveRate <= right)
      .map(({ falsePositiveRate, truePositiveRate }) => `${x(falsePositiveRate)},${y(truePositiveRate)}`)
    const row = top + SIZE + 58 + i * LEGEND
    return [
      `<polyline points="${points.join(' ')}" fill="none" stroke="${COLOURS[i]}" stroke-width="1.8"/>`,
      `<path d="M${left} ${row - 4}h22" stroke="${COLOURS[i]}" stroke-width="3"/>`,
      `<text x="${left + 30}" y="${row}" fill="#111827">${name}</text>`,
    ].join('\n')
  })
  return [
    `<text x="${left}" y="${top - 16}" font-size="14" font-weight="600" fill="#111827">${title}</text>`,
    ...ticks,
    `<text x="${left + SIZE / 2}" y="${top + SIZE + 34}" text-anchor="middle" fill="#374151">false-positive rate</text>`,
    ...drawn,
  ].join('\n')
}
