// Losses of one prediction, and what they are per unit of it: batches of them are means over all outputs.
// Kinds are those of abi.ts. LOG_MAPE is for outputs and goals that are logarithms: the relative error of what they stand for.
import { LOSS_HUBER, LOSS_L1, LOSS_LOG_MAPE, LOSS_MAPE } from '../abi'
import { expReal, padded, Real, REAL } from '../math/real'

/** |goal| is taken as no smaller than this in MAPE (as Keras has it), so that a goal of zero has a finite loss. */
// @ts-ignore: decorator
@inline const SMALLEST_GOAL: Real = 1e-7
/** |output − goal| above which LOG_MAPE goes on in a straight line or stays flat: e^20 is far beyond any useful error. */
// @ts-ignore: decorator
@inline const LARGEST_LOG_RATIO: Real = 20.0

export function lossOf(kind: i32, output: Real, goal: Real): Real {
  const error = output - goal
  const size = abs<Real>(error)
  switch (kind) {
    case LOSS_L1: return size
    case LOSS_MAPE: return size / max<Real>(abs<Real>(goal), SMALLEST_GOAL)
    case LOSS_HUBER: return size < 1.0 ? <Real>0.5 * error * error : size - <Real>0.5
    case LOSS_LOG_MAPE: return abs<Real>(expReal(clampLogRatio(error)) - <Real>1.0)
    default: return error * error
  }
}

/** dLoss/doutput; 0 where the loss has a kink. */
export function lossSlope(kind: i32, output: Real, goal: Real): Real {
  const error = output - goal
  switch (kind) {
    case LOSS_L1: return sign(error)
    case LOSS_MAPE: return sign(error) / max<Real>(abs<Real>(goal), SMALLEST_GOAL)
    case LOSS_HUBER: return abs<Real>(error) < 1.0 ? error : sign(error)
    case LOSS_LOG_MAPE: return sign(error) * expReal(clampLogRatio(error))
    default: return <Real>2.0 * error
  }
}

// @ts-ignore: decorator
@inline function sign(x: Real): Real {
  return x > 0.0 ? <Real>1.0 : x < 0.0 ? <Real>-1.0 : x * <Real>0.0
}

// @ts-ignore: decorator
@inline function clampLogRatio(error: Real): Real {
  const below = error < LARGEST_LOG_RATIO || error != error ? error : LARGEST_LOG_RATIO
  return below < -LARGEST_LOG_RATIO ? -LARGEST_LOG_RATIO : below
}

/** Mean loss over y [n, padded(width)] against goals [n, width]; fills delta [n, padded(width)] with its slopes unless 0. */
export function batchLoss(kind: i32, y: usize, goals: usize, width: i32, n: i32, delta: usize): f64 {
  const row = <usize>padded(width) * REAL
  const share: Real = <Real>1.0 / <Real>(n * width)
  if (delta != 0) memory.fill(delta, 0, <usize>n * row)
  let sum = 0.0
  for (let i = 0; i < n; i++, y += row, goals += <usize>width * REAL) {
    for (let j: usize = 0; j < <usize>width * REAL; j += REAL) {
      const output = load<Real>(y + j), goal = load<Real>(goals + j)
      sum += <f64>lossOf(kind, output, goal)
      if (delta != 0) store<Real>(delta + j, share * lossSlope(kind, output, goal))
    }
    if (delta != 0) delta += row
  }
  return sum / <f64>(n * width)
}
