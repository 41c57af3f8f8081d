// What ships learned: small files that were made by the scripts of the project, from data that may be shipped.
export { defaultLengthWeights } from '@trimtab/serve/weights'
export { shippedPrior } from '@trimtab/tasks/autoscaling'
