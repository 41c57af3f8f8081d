import { stateFolders } from '@trimtab/node/files'
import { type Option, textOption } from '../options.js'

/** Where journals of limits lie, of `trimtab linux` and `trimtab live`. */
export const stateOption: Option<string | undefined> = textOption(
  'DIR',
  'where processes say what they have changed (default: /run/trimtab)',
  undefined,
)

/** The folders that `--state` names. */
export const stateFoldersOf = (state: string | undefined): readonly string[] =>
  state === undefined ? stateFolders() : [state]
