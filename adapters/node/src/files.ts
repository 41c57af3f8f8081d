export { ownIdentity, type ProcessIdentity, startTimeOf, stateOf } from './process-identity.js'
export { canReplaceFile, type FileContent, removeFileSync, replaceFile, replaceFileSync } from './replace-file.js'
export { type Restorable, restoreOnExit } from './restore-on-exit.js'
export { stateFolders } from './state-folders.js'
