import { create, element } from '../shell/dom.js'

/** One row a stage, one mark a round. */
export function showStages(stages: readonly string[], rounds: number): void {
  const names = [...new Set(stages)]
  const rows = names.map((name) => {
    const strip = create('div')
    for (let i = 0; i < rounds; i++) {
      const mark = create('i')
      mark.classList.toggle('on', stages[i] === name)
      strip.append(mark)
    }
    const row = create('div', create('span', name), strip)
    row.className = 'stage'
    return row
  })
  element('stages').replaceChildren(...rows)
}
