// What shells need to complete a call: the words that may follow each command, as text of theirs.
import type { Outline } from '../command.js'

/** A command by the words that lead to it, `trace culprits`, and what may follow. */
interface Place {
  readonly path: string
  readonly commands: readonly { readonly name: string; readonly summary: string }[]
  readonly options: readonly string[]
}

function placesOf(outline: Outline, path = ''): Place[] {
  const below = Object.entries(outline.commands)
  const commands = below.map(([name, { summary }]) => ({ name, summary }))
  const deeper = below.flatMap(([name, one]) => placesOf(one, path === '' ? name : `${path} ${name}`))
  return [{ path, commands, options: outline.options.map((name) => `--${name}`) }, ...deeper]
}

/** As a shell's own text in single quotes. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

const wordsOf = ({ commands, options }: Place): string => [...commands.map(({ name }) => name), ...options].join(' ')

const pathsOf = (places: readonly Place[]): string =>
  places
    .filter(({ path }) => path !== '')
    .map(({ path }) => quoted(path))
    .join('|')

/** Files are offered where no word fits. */
export function bashScript(outline: Outline): string {
  const places = placesOf(outline)
  return `# trimtab completion bash >> ~/.bashrc
_trimtab() {
  local at= word words=
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${at:+$at }$word" in
      ${pathsOf(places)}) at="\${at:+$at }$word" ;;
      *) break ;;
    esac
  done
  case "$at" in
${places.map((place) => `    ${quoted(place.path)}) words=${quoted(wordsOf(place))} ;;`).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _trimtab trimtab
`
}

export function zshScript(outline: Outline): string {
  const places = placesOf(outline)
  const describe = ({ commands }: Place) =>
    commands.map(({ name, summary }) => quoted(`${name}:${summary.replaceAll(':', '\\:')}`)).join(' ')
  return `#compdef trimtab
# trimtab completion zsh > "\${fpath[1]}/_trimtab"
_trimtab() {
  local at= word
  local -a commands options
  for word in \${words[2,CURRENT-1]}; do
    case "\${at:+$at }$word" in
      ${pathsOf(places)}) at="\${at:+$at }$word" ;;
      *) break ;;
    esac
  done
  case "$at" in
${places.map((place) => `    ${quoted(place.path)}) commands=(${describe(place)}); options=(${place.options.join(' ')}) ;;`).join('\n')}
  esac
  (( $#commands )) && _describe command commands
  if [[ $PREFIX == -* ]]; then compadd -- $options; else _files; fi
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _trimtab "$@"; else compdef _trimtab trimtab; fi
`
}

export function fishScript(outline: Outline): string {
  const places = placesOf(outline)
  const lines = places.flatMap(({ path, commands, options }) => {
    const at = `complete -c trimtab -n ${quoted(`test "$(__trimtab_at)" = "${path}"`)}`
    return [
      ...commands.map(({ name, summary }) => `${at} -f -a ${name} -d ${quoted(summary)}`),
      ...options.map((option) => `${at} -l ${option.slice(2)}`),
    ]
  })
  return `# trimtab completion fish > ~/.config/fish/completions/trimtab.fish
function __trimtab_at
  set -l at
  for word in (commandline -opc)[2..-1]
    set -l next (string join -- ' ' $at $word)
    contains -- $next ${places
      .filter(({ path }) => path !== '')
      .map(({ path }) => quoted(path))
      .join(' ')}; or break
    set at $next
  end
  echo "$at"
end
${lines.join('\n')}
`
}
