/** What changed a decision on its way to the actuator: limits on the action, or on the quantities that the actuator moves. */
export type ClipReason = 'bounds' | 'step' | 'cool_down' | 'quantity_bounds' | 'quantity_step' | 'quantity_cool_down'

/** Clip reasons as the sum of their flags. */
export type ClipFlags = number

export const CLIP: Readonly<Record<ClipReason, ClipFlags>> = {
  bounds: 1,
  step: 2,
  cool_down: 4,
  quantity_bounds: 8,
  quantity_step: 16,
  quantity_cool_down: 32,
}

/** All reasons that there are. */
export const CLIP_REASONS: readonly ClipReason[] = Object.keys(CLIP) as ClipReason[]

// Made when first asked for, so that explaining a decision allocates nothing.
const REASONS: (readonly ClipReason[])[] = []

/** The reasons in words, in the order above. */
export function clipReasons(flags: ClipFlags): readonly ClipReason[] {
  REASONS[flags] ??= CLIP_REASONS.filter((reason) => (flags & CLIP[reason]) !== 0)
  return REASONS[flags]
}
