/** Rounding must not ask for one container more. */
const SLACK = 1e-9

/** R + c√R, whole: containers for R that would be busy on average, with room for chance; none for no demand. */
export const containersFor = (demandContainers: number, margin: number): number =>
  Math.max(0, Math.ceil(demandContainers + margin * Math.sqrt(demandContainers) - SLACK))
