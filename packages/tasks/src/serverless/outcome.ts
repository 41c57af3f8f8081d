import { SLO_WEIGHT, sloPreservation } from '../autoscaling/reward.js'
import { SHARES_PER_CORE } from './invoker-sharing.js'
import type { TenantTelemetry } from './telemetry.js'

// What a step of one tenant was worth. Nothing asked of it and nothing held: nothing is broken, nothing wasted.

/** SP: min(1, SLO / p99); 1 without a request. */
export const tenantPreservation = ({ p99Ms, sloMs }: Readonly<TenantTelemetry>): number => sloPreservation(sloMs, p99Ms)

/** Whether the step broke the SLO. */
export const isSloViolation = ({ p99Ms, sloMs }: Readonly<TenantTelemetry>): boolean => p99Ms > sloMs

/** Containers held, warm or starting. */
export const heldContainers = ({ warmContainers, startingContainers }: Readonly<TenantTelemetry>): number =>
  warmContainers + startingContainers

/** Cores that the shares of all containers held are worth. */
export const heldCores = (t: Readonly<TenantTelemetry>): number => (heldContainers(t) * t.shares) / SHARES_PER_CORE

/** RU of the CPU: used over held, 0 … 1. Under work-conserving shares it can be gamed: fewer shares, the same latency. */
export const cpuUtilisation01 = (t: Readonly<TenantTelemetry>): number => usedOver(t.usedCores, heldCores(t))

/** RU of the memory. */
export const memoryUtilisation01 = (t: Readonly<TenantTelemetry>): number =>
  usedOver(t.usedMemoryMiB, heldContainers(t) * t.memoryMiBPerContainer)

/** r = w SP + (1 − w) (RU cpu + RU mem) / 2. @param sloWeight  w; .7 unless told */
export const tenantValue = (t: Readonly<TenantTelemetry>, sloWeight: number = SLO_WEIGHT): number =>
  sloWeight * tenantPreservation(t) + ((1 - sloWeight) * (cpuUtilisation01(t) + memoryUtilisation01(t))) / 2

/** What a violation costs in J = r − .3 · violation, by which rules and learners are judged. */
export const VIOLATION_PRICE = 0.3

const usedOver = (used: number, held: number): number => (held > 0 ? Math.min(1, used / held) : 1)
