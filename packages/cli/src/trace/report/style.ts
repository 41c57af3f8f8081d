import { BASE, PARTS, renderThemes } from '../../report/style.js'

/** Colours of the critical path, and how light and how colourful a service's hue is, in either theme. */
const TOKENS = {
  light: '--c-trimtab:#0a5fd0;--route:#b3122a;--l:.8;--c:.1;--on-l:.67;--on-c:.15;--ink:#16202c;--good:#00714f;',
  dark: '--c-trimtab:#5fb0ff;--route:#ff8a94;--l:.5;--c:.1;--on-l:.66;--on-c:.14;--ink:#fff;--good:#3fd0a4;',
} as const

/** The sheet of the whole page. */
export const renderPageStyle = (): string => `${renderThemes((theme) => TOKENS[theme])}${BASE}${TRACE}`

/**
 * The sheet of the parts alone, for a page that has the house's themes already (`data-theme` on its root).
 * @param within  selector of the element that holds them; nothing outside it is touched
 */
export const renderPartsStyle = (within: string): string =>
  `:root{${TOKENS.light}--mark:#0a5fd01a;--edge:#1b1f2740;}:root[data-theme=dark]{${TOKENS.dark}--mark:#5fb0ff22;--edge:#000a;}${within}{${PARTS}${TRACE}}`

const TRACE = `
.muted,.keys{color:var(--muted)}.bad{color:var(--slo)}.good{color:var(--good)}.left{text-align:left!important}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
code{font:12px/1.4 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;color:var(--muted);overflow-wrap:anywhere}
th,td{padding:8px 7px}.tiles{grid-template-columns:repeat(auto-fit,minmax(190px,1fr))}.tiles small{display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:2;overflow:hidden}.tiles b{display:block;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.tag{display:inline-block;font-size:11px;font-weight:500;line-height:16px;border:1px solid var(--faint);border-radius:9px;padding:0 7px;margin-left:7px;color:var(--muted)}.tag.bad{color:var(--slo);border-color:currentColor}
.dot,.key{display:inline-block;width:10px;height:10px;border-radius:3px;margin-right:8px;background:oklch(var(--l) var(--c) var(--h,0))}
td.share{min-width:130px}.track{display:inline-block;vertical-align:middle;width:76px;height:7px;border-radius:4px;background:var(--hair);overflow:hidden;margin-right:10px}.track i{display:block;height:100%;border-radius:4px;background:oklch(var(--l) calc(var(--c) + .03) var(--h,0))}
th[scope=row]{max-width:420px;overflow:hidden;text-overflow:ellipsis}td.examples{white-space:normal;min-width:24ch}#h-repairs~.scroll th{white-space:normal}
.bar-row{display:flex;flex-wrap:wrap;align-items:center;gap:10px 16px;margin:0 0 12px;font-size:13px;color:var(--muted)}
.bar-row select,.bar-row input,.bar-row button{font:inherit;color:var(--text);background:var(--page);border:1px solid var(--faint);border-radius:8px;padding:6px 10px;margin-left:6px;max-width:min(640px,80vw)}.bar-row button{cursor:pointer;margin:0}
.suspects{list-style:none;margin:0;padding:0;display:grid;gap:14px}.suspects>li{display:grid;grid-template-columns:34px 1fr;gap:12px}.suspects .rank{width:34px;height:34px;border-radius:50%;display:grid;place-items:center;font-weight:650;background:oklch(var(--l) var(--c) var(--h));color:var(--ink)}.suspects h3{font-size:15.5px}.suspects .track{width:min(420px,100%);margin:6px 0 4px;display:block}.suspects ul{margin:0;padding-left:18px;color:var(--muted)}.suspects>li:first-child ul{color:var(--text)}
.bar-row label{display:inline-flex;align-items:center;gap:6px}.bar-row input[type=checkbox]{margin:0;accent-color:var(--muted)}.keys{list-style:none;display:flex;flex-wrap:wrap;gap:4px 18px;margin:0 0 10px;padding:0;font-size:12.5px}.key{width:22px;height:9px;--h:250}.key.on{background:linear-gradient(var(--route),var(--route)) 0 50%/100% 2px no-repeat oklch(var(--on-l) var(--on-c) var(--h))}.key.off{opacity:.35}.key.bg{background:repeating-linear-gradient(-45deg,var(--muted) 0 2px,transparent 2px 5px);opacity:.6}
.waterfall{--name:minmax(150px,34%);--num:74px;font-size:12.5px;overflow-x:auto}.wf-head,.wf-row{display:grid;grid-template-columns:var(--name) minmax(260px,1fr) var(--num) var(--num);align-items:center;column-gap:12px}
.wf-head{color:var(--muted);border-bottom:1px solid var(--faint);height:26px}.axis{position:relative;height:100%}.axis span{position:absolute;bottom:4px;transform:translateX(-50%);white-space:nowrap;font-size:11.5px}.axis span:first-child{transform:none}.num{text-align:right;white-space:nowrap}.own{font-weight:600}
.wf-body{position:relative}.wf-row{height:24px;border-radius:4px;position:relative}.wf-row:hover{background:var(--mark)}.wf-row .name{overflow:hidden;text-overflow:ellipsis;white-space:nowrap;padding-left:calc(var(--d)*11px);color:var(--muted)}.wf-row .name b{font-weight:500;color:var(--text)}.wf-row.is-on .name b{font-weight:650}.wf-row .num{color:var(--muted)}.wf-row .own{color:var(--text)}
.lane{position:relative;height:100%}.lane i{position:absolute;top:6px;height:12px;min-width:1px;border-radius:2px;background:oklch(var(--l) var(--c) var(--h))}.lane .whole{opacity:.38}.lane .on{background:oklch(var(--on-l) var(--on-c) var(--h))}.background .whole{background:repeating-linear-gradient(-45deg,var(--muted) 0 2px,transparent 2px 5px)}.folded .whole{opacity:.2;top:9px;height:6px}.error .whole{box-shadow:inset 0 0 0 1px var(--slo);opacity:.55}
.wf-lines{position:absolute;top:0;pointer-events:none;fill:none;overflow:visible}.wf-lines path{vector-effect:non-scaling-stroke}.wf-grid{stroke:var(--hair);stroke-width:1}.wf-route{z-index:1;stroke:var(--route);stroke-width:2;stroke-linecap:square}.wf-route .moves{stroke-width:1;opacity:.55}
.fl-box{--row:21px;position:relative;height:calc(var(--row)*var(--depth) + 2px);overflow:hidden auto;max-height:70vh;border-radius:6px}.fl{position:absolute;height:20px;line-height:20px;padding:0 5px;overflow:hidden;text-overflow:ellipsis;white-space:nowrap;font-size:12px;border-radius:3px;cursor:pointer;background:oklch(var(--l) var(--c) var(--h));color:var(--ink);box-shadow:inset -1px 0 0 var(--card);transition:left .18s,width .18s}.fl:hover{filter:brightness(1.08)}.fl.above{opacity:.55}.searching .fl{opacity:.28}.searching .fl.match{opacity:1;box-shadow:inset 0 0 0 2px var(--route)}.fl:focus-visible{outline-offset:-2px;outline-color:var(--text)}
.fl-words{min-height:1.5em;margin:10px 0 0;font-size:13px;color:var(--muted);overflow-wrap:anywhere}.fl-words b{color:var(--text)}
@media (max-width:820px){.bar-row label{width:100%}.bar-row select,.bar-row input[type=search]{flex:1;min-width:0;max-width:none}.waterfall{--num:62px}.waterfall>*{min-width:640px}}
@media (prefers-reduced-motion:reduce){.fl{transition:none}}
`
