export * from './autoscaling/index.js'
export * from './microservices/index.js'
