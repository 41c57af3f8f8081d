export * from './autoscaling/index.js'
