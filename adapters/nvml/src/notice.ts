/** Something that whoever drives a GPU should know, said once. */
export interface GpuNotice {
  readonly kind: /** A dead process had left the clock locked: given back. */
    | 'restored'
    /** All slices of a GPU under MIG share its clock. */
    | 'mig_shared'
    /** Without persistence mode the driver may forget a lock. */
    | 'not_persistent'
    /** Asked for a clock that the GPU does not have: rounded up. */
    | 'snapped'
    /** Accepted, but the clock is another one: power cap, heat, or the driver ignores it. */
    | 'not_honoured'
    /** No energy counter: energy is power over time. */
    | 'energy_integrated'
    /** The driver refuses to set clocks: from now on only watched. */
    | 'refused'
    /** The clock could not be given back. */
    | 'left_locked'
  readonly message: string
}
