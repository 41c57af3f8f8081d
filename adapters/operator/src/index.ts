export type { OperatorContext } from './context.js'
export { CONDITIONS, nameOf, OPERATOR_NAMESPACE, OPERATOR_PARTS, type OperatorPart } from './names.js'
