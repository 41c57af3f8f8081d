export type { Change, JudgedChange, QuantileChange } from './change.js'
export type { CallPathChange, EdgeChange, EndpointChange, ProfileDiff, ServiceChange } from './diff.js'
export { Distribution, Moments } from './distribution.js'
export type { Exemplar } from './endpoints.js'
export { bucketStart, Histogram, type Interval, RELATIVE_ERROR } from './histogram.js'
export { diffProfiles, Profile } from './profile.js'
export type {
  CallPathProfile,
  EdgeProfile,
  EndpointProfile,
  InstanceProfile,
  ProfileCell,
  ServiceProfile,
} from './profile-views.js'
export type { Slice, SliceCell, SliceOptions } from './slice.js'
