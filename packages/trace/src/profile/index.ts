export { Distribution } from './distribution.js'
export type { Exemplar } from './endpoints.js'
export { bucketStart, Histogram, type Interval, RELATIVE_ERROR } from './histogram.js'
export { Profile } from './profile.js'
export type {
  CallPathProfile,
  EdgeProfile,
  EndpointProfile,
  InstanceProfile,
  ProfileCell,
  ServiceProfile,
} from './profile-views.js'
