export { ownIdentity, type ProcessIdentity, stateOf } from './process-identity.js'
export { canReplaceFile, type FileContent, removeFileSync, replaceFile, replaceFileSync } from './replace-file.js'
