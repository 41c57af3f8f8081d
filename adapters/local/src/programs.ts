// Plain JavaScript that processes of their own run. It lies beside `src` and `dist`, so that both find it from one folder up.
import { fileURLToPath } from 'node:url'

const beside = (name: string): string => fileURLToPath(new URL(`../${name}`, import.meta.url))

export const CONTAINER_PROGRAM: string = beside('container.js')
export const GENERATOR_PROGRAM: string = beside('generator.js')
export const STRESSOR_PROGRAM: string = beside('stressor.js')

/** What `trimtab live` runs: a pod as it is served, of ours or of a server of the user's own, the balancer before the pods, and the generator of their load. */
export const POD_PROGRAM: string = beside('live/pod.js')
export const SERVICE_POD_PROGRAM: string = beside('live/service-pod.js')
export const BALANCER_PROGRAM: string = beside('live/balancer.js')
export const LIVE_GENERATOR_PROGRAM: string = beside('live/generator.js')

/** A function that burns real CPU time: `main({ rounds })`. */
export const BURN_FUNCTION: string = beside('functions/burn.js')
