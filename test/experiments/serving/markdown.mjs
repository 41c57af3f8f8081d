// Numbers and tables as the report shows them.

export const fixed = (value, digits = 1) => value.toFixed(digits).replace('-', '−')
export const percent = (ratio) => {
  const text = fixed(100 * (ratio - 1))
  return `${text.startsWith('−') || Number(text) === 0 ? '' : '+'}${text} %`
}

export function table(head, rows) {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

export const groupsOf = (list, key) => [...new Set(list.map((one) => one[key]))]
