// Fig. 6.13: clock of one GPU and arrivals, against time.
const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [740, 320, 60, 60, 40, 40]
const MAXIMUM_MHZ = 1400

export function drawTrace({ surge, device, ticks, arrivals }) {
  const seconds = arrivals.length
  const most = Math.max(...arrivals)
  const x = (second) => (LEFT + (second / seconds) * (WIDTH - LEFT - RIGHT)).toFixed(1)
  const y = (part) => (HEIGHT - BOTTOM - part * (HEIGHT - TOP - BOTTOM)).toFixed(1)
  const clock = ticks.map((tick) => `H${x(tick.seconds)}V${y(tick.clockMhz / MAXIMUM_MHZ)}`).join('')
  const bars = arrivals.map((count, second) => `M${x(second + 0.5)} ${y(0)}V${y(count / most)}`).join('')
  const label = (text, at, anchor) =>
    `<text x="${at[0]}" y="${at[1]}" text-anchor="${anchor}" fill="#374151">${text}</text>`
  const clockLabels = [0, 500, 1000, 1380].map((mhz) => label(mhz, [LEFT - 6, Number(y(mhz / MAXIMUM_MHZ)) + 4], 'end'))
  const timeLabels = [0, 30, 60, 90, 120, 150, 180, 210].map((second) =>
    label(second, [x(second), HEIGHT - BOTTOM + 16], 'middle'),
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="system-ui, sans-serif" font-size="12">
<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>
<text x="${LEFT}" y="22" font-size="14" font-weight="600" fill="#111827">Clock of GPU ${device} (MHz) and arrivals of the cluster (bars, up to ${most} a second), simulated</text>
<rect x="${x(surge.from)}" y="${y(1)}" width="${(x(surge.to) - x(surge.from)).toFixed(1)}" height="${(y(0) - y(1)).toFixed(1)}" fill="#fef3c7"/>
<path d="${bars}" stroke="#cbd5e1" stroke-width="2"/>
<path d="M${x(0)} ${y(1380 / MAXIMUM_MHZ)}${clock}" fill="none" stroke="#1d4ed8" stroke-width="2"/>
<path d="M${LEFT} ${y(0)}H${WIDTH - RIGHT}M${LEFT} ${y(0)}V${y(1)}" stroke="#374151"/>
${[...clockLabels, ...timeLabels].join('\n')}
${label('seconds', [WIDTH - RIGHT, HEIGHT - 8], 'end')}
</svg>
`
}
