/** The words after `trimtab` in a line of shell, quotes undone: what the command is given. Pipes and redirections end them. */
export function wordsOfCall(line: string): string[] {
  const [, call = ''] = /\btrimtab (.+)$/.exec(line) ?? []
  const words: string[] = []
  for (const [word] of call.matchAll(/'[^']*'|"[^"]*"|[^\s'"]+/g)) {
    if (/^(\||>>?|<|;|&&?|#.*)$/.test(word)) break
    words.push(word.replaceAll(/^['"]|['"]$/g, ''))
  }
  return words
}
