export * from './power/index.js'
export * from './predict/index.js'
export * from './scheduler/index.js'
