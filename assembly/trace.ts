// The entry of what reads traces: critical paths, and the classifier of components.
export * from './shared'
export { svm_bytes, svm_create, svm_decide, svm_fit, svm_map, svm_observe } from './stats/svm'
export { path_bytes, path_column, path_get, path_layout } from './trace/layout'
export { path_begin, path_resume } from './trace/walk'
