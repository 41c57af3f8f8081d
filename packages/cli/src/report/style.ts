import type { AutoscalerSummary } from '@trimtab/studies'
import { cssKey, styleOf } from './palette.js'

/** The report's whole style sheet for these controllers: tokens of the two themes, then the page. */
export function renderStyle(controllers: readonly AutoscalerSummary[]): string {
  const tokens = (theme: 'light' | 'dark') =>
    controllers.map((one) => `--${cssKey(one.name)}:${styleOf(one)[theme]};`).join('')
  const series = controllers.map(({ name }) => {
    const key = cssKey(name)
    return `.${key}{--series:var(--${key})}.hide-${key} .app .${key}{display:none}`
  })
  return `${renderThemes(tokens)}
${series.join('')}${REFERENCE}${COMPARISON}${BASE}`
}

/** Custom properties of both themes: the house's and `more`. */
export function renderThemes(more: (theme: 'light' | 'dark') => string): string {
  const tokens = (theme: 'light' | 'dark') => `color-scheme:${theme};${TOKENS[theme]}${more(theme)}`
  return `:root{${tokens('light')}}
@media (prefers-color-scheme:dark){:root:not([data-theme=light]){${tokens('dark')}}}
:root[data-theme=dark]{${tokens('dark')}}`
}

const TOKENS = {
  light:
    '--page:#f6f7f9;--card:#fff;--text:#1b1f27;--muted:#5b6472;--faint:#e3e6eb;--hair:#eef0f3;--slo:#c4212f;--mark:#0a5fd01a;--edge:#1b1f2740;',
  dark: '--page:#10131a;--card:#181c25;--text:#e9ecf2;--muted:#9ba5b5;--faint:#2c323e;--hair:#232936;--slo:#ff7b83;--mark:#5fb0ff22;--edge:#000a;',
} as const

/** Where a table goes on beyond the edge there is a shadow; covers that move along hide it at its ends. */
export const SCROLL_SHADOW: string =
  'background:linear-gradient(90deg,var(--card) 14px,transparent 32px) 0/32px 100% no-repeat local,linear-gradient(-90deg,var(--card) 14px,transparent 32px) 100%/32px 100% no-repeat local,linear-gradient(90deg,var(--edge),transparent) 0/12px 100% no-repeat,linear-gradient(-90deg,var(--edge),transparent) 100%/12px 100% no-repeat'

/** Cards, tiles and tables, which pages that are not reports use as well. */
export const PARTS: string = `
[hidden]{display:none!important}h3{font-size:14px;margin:0}small{font-size:12px;color:var(--muted);font-weight:400}.lead{margin:0 0 14px;color:var(--muted)}
section{background:var(--card);border:1px solid var(--faint);border-radius:14px;padding:22px 24px;margin:0 0 18px}
.tiles{display:grid;grid-template-columns:repeat(4,1fr);gap:14px;background:none;border:0;padding:0}.tiles>div{background:var(--card);border:1px solid var(--faint);border-top:3px solid var(--c-trimtab);border-radius:12px;padding:14px 18px}.tiles h3{color:var(--muted);font-weight:500}.tiles p{margin:2px 0;color:var(--muted);font-size:13px}.tiles b{font-size:30px;letter-spacing:-.02em;color:var(--text);font-weight:650}
.scroll{overflow-x:auto;margin:0 -24px;padding:0 24px;${SCROLL_SHADOW}}table{border-collapse:collapse;width:100%}th,td{text-align:right;padding:8px 10px;white-space:nowrap;border-bottom:1px solid var(--hair);font-weight:400}th:first-child,td:first-child{text-align:left;padding-left:0}thead th{color:var(--muted);font-size:13px;white-space:normal;border-bottom-color:var(--faint);vertical-align:bottom}
tbody tr:last-child>*{border-bottom:0}
details{margin-top:12px;color:var(--muted);font-size:13px}summary{cursor:pointer}.help{display:grid;grid-template-columns:max-content 1fr;gap:2px 14px}.help dt{color:var(--text)}.help dd{margin:0}
`

/** What every report shares: type, heading, parts. */
export const BASE: string = `${PARTS}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--text);font:15px/1.5 Inter,ui-sans-serif,system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;font-variant-numeric:tabular-nums}
main{max-width:1180px;margin:0 auto;padding:36px 24px 64px}
h1{font-size:30px;line-height:1.15;letter-spacing:-.02em;margin:0}h2{font-size:19px;letter-spacing:-.01em;margin:0 0 4px}
header{display:grid;grid-template-columns:1fr auto;gap:6px 16px;margin-bottom:22px}header p{margin:6px 0 0;color:var(--muted)}
#theme{font-size:18px;line-height:1;width:38px;height:38px;border-radius:19px;border:1px solid var(--faint);background:var(--card);color:var(--text);cursor:pointer}
.facts{grid-column:1/-1;display:flex;flex-wrap:wrap;gap:8px;margin:14px 0 0}.facts div{background:var(--card);border:1px solid var(--faint);border-radius:999px;padding:3px 12px;font-size:13px}.facts dt,.facts dd{display:inline;margin:0}.facts dt{color:var(--muted);margin-right:6px}
.findings{margin:8px 0 0;padding-left:20px}.findings li{margin:4px 0}.findings li::marker{color:var(--c-trimtab,var(--muted))}
:focus-visible{outline:2px solid var(--c-trimtab,currentColor);outline-offset:3px;border-radius:4px}
footer{color:var(--muted);font-size:13px;padding:6px 4px}
@media (max-width:820px){main{padding:22px 14px 48px}.tiles{grid-template-columns:repeat(2,1fr)}section{padding:18px 16px}.scroll{margin:0 -16px;padding:0 16px}th,td{padding:7px 6px}h1{font-size:25px}}
@media print{body{background:#fff}section{break-inside:avoid}#theme,.toolbar{display:none}}
`

/** A value that a line is judged by. */
const REFERENCE = `path.reference{stroke:var(--slo);stroke-width:1.4;stroke-dasharray:5 4}span.reference{position:absolute;right:4px;font-size:11.5px;color:var(--slo);line-height:1;margin-bottom:4px;background:var(--card);border-radius:3px;padding:1px 3px;opacity:.92}`

/** Charts with a legend, for reports whose lines are their subject. */
export const CHARTS: string = `${REFERENCE}
.legend{list-style:none;display:flex;flex-wrap:wrap;gap:6px 18px;margin:0 0 16px;padding:0;font-size:13px}.legend i{display:inline-block;width:18px;height:3px;border-radius:2px;background:var(--series);margin-right:8px;vertical-align:middle}
.chart{margin:0;min-width:0}figcaption{font-weight:600;font-size:13.5px;margin-bottom:8px}figcaption small{margin-left:4px}
.plot{position:relative;height:260px;margin:0 0 26px 52px}.plot svg{position:absolute;inset:0;width:100%;height:100%;overflow:hidden}.plot path{fill:none;vector-effect:non-scaling-stroke;stroke-linejoin:round}
.grid{stroke:var(--hair);stroke-width:1}.line{stroke:var(--series)}.plot path.band{fill:var(--series);opacity:.15;stroke:none}
.y span,.x span{position:absolute;font-size:11.5px;color:var(--muted);line-height:1;white-space:nowrap}.y span{right:100%;margin-right:8px;transform:translateY(50%)}.x span{top:100%;margin-top:7px;transform:translateX(-50%)}.x .end{right:0;transform:none}
`

const COMPARISON = `
.summary tr.c-trimtab>*{background:var(--mark);font-weight:600}.summary tr.c-trimtab th{box-shadow:-10px 0 0 var(--mark)}.summary tr.c-trimtab td:last-child{border-radius:0 6px 6px 0}.bounds td,.bounds th{color:var(--muted)}.group th{font-size:12px;padding-top:16px;color:var(--muted);border-bottom-color:var(--faint)}.none{color:var(--muted)}
.summary td small{display:block;line-height:1.2}.swatch{width:28px;height:10px;margin-right:9px;vertical-align:middle}.swatch path{stroke:var(--series);fill:none}
.apps caption{text-align:left;color:var(--muted);padding:14px 0 2px;font-size:13px}.apps td,.apps thead th{text-align:left;min-width:92px;padding:7px 14px 7px 0;vertical-align:bottom}.apps td span{display:block;font-size:13px}.apps thead th{white-space:normal}.apps th[scope=row]{white-space:normal;min-width:130px}.track{display:block;height:6px;border-radius:3px;background:var(--hair);margin-top:4px;overflow:hidden}.track.from-50{background:linear-gradient(90deg,var(--hair) calc(50% - 1px),var(--muted) 0 calc(50% + 1px),var(--hair) 0)}.bar{display:block;height:100%;background:var(--series)}.apps .bound{font-style:italic}
.grid-2{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(460px,100%),1fr));gap:26px 34px}.app h3{grid-column:1/-1;margin-top:6px}
.legend{list-style:none;display:flex;flex-wrap:wrap;gap:6px 18px;margin:0 0 16px;padding:0;border:0;font-size:13px}.legend legend{float:left;margin-right:14px;padding:0;color:var(--muted)}
.toolbar{display:flex;flex-wrap:wrap;gap:12px 28px;align-items:center;margin-bottom:10px;font-size:13px}.toolbar .legend{margin:0}.toolbar label{cursor:pointer;color:var(--muted)}.toolbar .legend label{color:var(--text)}.toolbar input{accent-color:var(--muted);margin:0 6px 0 0;vertical-align:-1px}select{font:inherit;color:var(--text);background:var(--card);border:1px solid var(--faint);border-radius:8px;padding:6px 10px;margin-left:6px}
.chart{margin:0;min-width:0}figcaption{font-weight:600;font-size:13.5px;margin-bottom:8px}figcaption small{margin-left:4px}figcaption em{float:right;font-weight:400;font-style:normal;color:var(--muted);font-size:12px}
.plot{position:relative;height:190px;margin:0 0 22px 44px;cursor:crosshair}.plot svg{position:absolute;inset:0;width:100%;height:100%;overflow:hidden}.plot path{fill:none;vector-effect:non-scaling-stroke;stroke-linejoin:round}
.grid{stroke:var(--hair);stroke-width:1}.line{stroke:var(--series)}.load{--series:var(--muted)}.plot path.band{fill:var(--series);opacity:.15;stroke:none}
.y span,.x span{position:absolute;font-size:11.5px;color:var(--muted);line-height:1;white-space:nowrap}.y span{right:100%;margin-right:8px;transform:translateY(50%)}.x span{top:100%;margin-top:7px;transform:translateX(-50%)}.x .end{right:0;transform:none}

.reading .plot::after{content:"";position:absolute;top:0;bottom:0;left:var(--at);width:1px;background:var(--text);opacity:.45}
#readout{position:fixed;z-index:2;pointer-events:none;background:var(--card);border:1px solid var(--faint);border-radius:10px;box-shadow:0 8px 24px #0003;padding:9px 13px;font-size:12.5px;min-width:150px}#readout div{display:flex;gap:8px;align-items:center}#readout i{width:12px;height:3px;border-radius:2px;background:var(--series)}#readout span{color:var(--muted);margin-right:auto;padding-right:14px}
.explained{grid-column:1/-1}.explained caption{text-align:left;font-weight:600;font-size:13.5px;padding:6px 0}.explained td{text-align:left;white-space:normal;min-width:13ch}.explained td:last-child{min-width:24ch}.explained thead th{text-align:left}
`
