import type { EdgeProxy } from '../inject/edge-proxy.js'

/** A process of a service. */
export interface ServiceInstance {
  /** As its spans name it, `service.instance.id`. */
  readonly name: string
  /** Which of its service it is, from 0; one that takes another's place has the next number. */
  readonly replica: number
  readonly pid: number
  /** Resolves when the process is gone, whatever ended it. */
  readonly gone: Promise<unknown>
}

/** A service of a live application: one process, the ways to it, and how another takes its place. */
export interface ControlledService {
  /** As its spans name it, `service.name`. */
  readonly name: string
  /** The process that serves when control begins. */
  readonly instance: ServiceInstance
  /** All ways to it: what its network limit holds. */
  readonly proxies: readonly EdgeProxy[]
  /** Starts another process, leads all ways to it and lets the old one finish; resolves when the new one serves. Absent: nothing can take its place. */
  readonly replace?: () => Promise<ServiceInstance>
}
