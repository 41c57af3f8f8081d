/** A processor whose cores run at any of `LEVELS` frequencies, evenly spaced from nominal to turbo. */
export interface Processor {
  readonly nominalGhz: number
  readonly turboGhz: number
  /** Share of its power at nominal frequency and full use that does not depend on frequency or use. */
  readonly staticShare: number
}

/** A processor whose clocks and power are known. */
export type ProcessorName = 'xeon-e5-2683v3' | 'xeon-e5-2695v4' | 'epyc-7302p'

/** The three of appendix A.4. The share of static power is a proposal, not a measurement. */
export const PROCESSORS: Readonly<Record<ProcessorName, Processor>> = {
  'xeon-e5-2683v3': { nominalGhz: 2, turboGhz: 3, staticShare: 0.35 },
  'xeon-e5-2695v4': { nominalGhz: 2.1, turboGhz: 3.1, staticShare: 0.35 },
  'epyc-7302p': { nominalGhz: 3, turboGhz: 3.3, staticShare: 0.35 },
}

/** The paper prints no step; eleven levels make each one tenth of what a processor has, 0.03 to 0.1 GHz. */
export const LEVELS = 11

const POWER_EXPONENT = 2.4 // dynamic power over frequency: voltage rises with it

export const frequencyGhz = (processor: Processor, level: number): number =>
  processor.nominalGhz + ((processor.turboGhz - processor.nominalGhz) * level) / (LEVELS - 1)

/**
 * Time for the same instructions as a multiple of that at nominal frequency: what waits for memory does not get faster.
 * @param sensitivity  the share that does, 0 … 1
 */
export const relativeTime = (processor: Processor, ghz: number, sensitivity: number): number =>
  1 - sensitivity + (sensitivity * processor.nominalGhz) / ghz

/** Dynamic power as a multiple of that at nominal frequency and the same use. */
export const dynamicPower = (math: { pow(x: number, y: number): number }, processor: Processor, ghz: number): number =>
  math.pow(ghz / processor.nominalGhz, POWER_EXPONENT)
