export { type GpuClock, type GpuSample, supportedClock } from './gpu.js'
