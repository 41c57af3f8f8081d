export { type BorderedEstimator, CachedPredictor } from './cached-predictor.js'
export { embedWords, WORD_EMBEDDING_WIDTH } from './embedding.js'
export { type CachedLength, type Embed, SemanticCache, type SemanticCacheOptions } from './semantic-cache.js'
