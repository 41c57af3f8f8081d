export type { DenseNetwork } from './export/dense.js'
export { encoderToOnnx } from './export/encoder.js'
export { mlpToOnnx } from './export/mlp.js'
export { policyToOnnx } from './export/policy.js'
export type { BasicTokenizerOptions } from './proxy/basic-tokenizer.js'
export type { InputNames } from './proxy/model-ports.js'
export {
  createProxyPredictor,
  ProxyPredictor,
  type ProxyPredictorOptions,
} from './proxy/proxy-predictor.js'
export { WordPieceTokenizer } from './proxy/word-piece.js'
export type { OnnxElementType, OnnxRuntime, OnnxSession, OnnxTensor, OnnxValueMetadata } from './runtime.js'
