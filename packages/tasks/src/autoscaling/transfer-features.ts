import { type Actuator, type Bytes, ConfigError, FormatError, type Space, type Step } from '@trimtab/core'
import { copyBytes } from '@trimtab/core/internal'
import type { TaskEnvironment } from '../task.js'
import { AllocationTable } from './allocation-table.js'
import { type ArimaOrder, arimaMinimum, fitArima } from './arima.js'
import type { AutoscalingEnvironment } from './environment.js'
import { LOGARITHMIC_OBSERVATION, TRANSFER_OBSERVATION } from './spaces.js'

const ORDER: ArimaOrder = { p: 2, d: 1, q: 1 }
const WINDOW = 60 // steps that the forecast is fitted to: fifteen minutes
const PRESERVATION = LOGARITHMIC_OBSERVATION.names.indexOf('latencyPreservation')
const HEAD = 3 // numbers: loads seen, cells' numbers, bytes of the world

/**
 * The features of TL+ (5.5), AWARE's stronger baseline, around an autoscaling environment: the change of load that an
 * ARIMA(2, 1, 1) forecasts for the next step, and what the table of allocations says of the one in force: SLO preservation
 * and reward where it, or the nearest to it, was tried before.
 *
 * The table belongs to the application and outlives episodes; the forecast starts anew with each.
 */
export class TransferFeatures implements TaskEnvironment {
  readonly observation: Space = TRANSFER_OBSERVATION
  readonly world: AutoscalingEnvironment
  readonly #table: AllocationTable = new AllocationTable()
  #loads: number[] = []

  /** @throws {ConfigError} `config_invalid` when the world has another view than the logarithmic one */
  constructor(world: AutoscalingEnvironment) {
    if (world.observation !== LOGARITHMIC_OBSERVATION) {
      throw new ConfigError('config_invalid', 'features of TL+ need an environment with the logarithmic view')
    }
    this.world = world
  }

  /** The action of the environment inside. */
  get action(): Space {
    return this.world.action
  }

  get actuator(): Actuator {
    return this.world.actuator
  }

  /** Begins the episode inside; the features of the last one are forgotten. */
  reset(seed: number): Float32Array {
    const observation = this.world.reset(seed)
    this.#loads = [this.world.telemetry.ratePerSecond]
    return this.#extend(observation)
  }

  /** @throws {ConfigError} as the world does */
  step(action: Float32Array): Step {
    const step = this.world.step(action)
    this.#loads.push(this.world.telemetry.ratePerSecond)
    if (this.#loads.length > WINDOW) this.#loads.shift()
    const observation = this.#extend(step.observation) // what was known before this step's own outcome
    this.#table.record(step.observation, step.observation[PRESERVATION]!, step.reward)
    return { ...step, observation }
  }

  /** Forgets the application: the table too. */
  forget(): void {
    this.#table.clear()
    this.#loads = []
  }

  #extend(observation: Float32Array): Float32Array {
    const out = new Float32Array(TRANSFER_OBSERVATION.names.length)
    out.set(observation)
    const recorded = this.#table.nearest(observation)
    out.set([this.#forecastChange(), recorded?.preservation ?? 1, recorded?.reward ?? 1], observation.length)
    return out
  }

  /** As the state's own change of load: relative to the larger of both, in [−1, 1]; 0 while there is too little to go by. */
  #forecastChange(): number {
    if (this.#loads.length < arimaMinimum(ORDER)) return 0
    const now = this.#loads.at(-1)!
    const next = Math.max(0, fitArima(this.#loads, ORDER).forecast)
    const largest = Math.max(now, next)
    return largest > 0 && Number.isFinite(next) ? (next - now) / largest : 0
  }

  /** The state of the environment inside, then the features' own. */
  save(): Uint8Array {
    const world = this.world.save()
    const cells = this.#table.toNumbers()
    const numbers = Float64Array.of(this.#loads.length, cells.length, world.length, ...this.#loads, ...cells)
    const bytes = new Uint8Array(numbers.byteLength + world.length)
    new Float64Array(bytes.buffer, 0, numbers.length).set(numbers)
    bytes.set(world, numbers.byteLength)
    return bytes
  }

  /** @throws {FormatError} `simulator_state_invalid`; nothing was changed */
  load(state: Bytes): void {
    const bytes = copyBytes(state, 'a simulator state')
    const head = bytes.length >= 8 * HEAD ? new Float64Array(bytes.buffer, 0, HEAD) : Float64Array.of(-1, -1, -1)
    const [loads, cells, world] = [head[0]!, head[1]!, head[2]!]
    const length = HEAD + loads + cells
    const isWhole = loads >= 0 && loads <= WINDOW && cells >= 0 && cells % 4 === 0 && Number.isInteger(length)
    if (!isWhole || bytes.length !== 8 * length + world) {
      throw new FormatError('simulator_state_invalid', `${state.byteLength} bytes are no state of this environment`)
    }
    this.world.load(bytes.subarray(8 * length))
    const numbers = new Float64Array(bytes.buffer, 0, length)
    this.#loads = [...numbers.subarray(HEAD, HEAD + loads)]
    this.#table.fromNumbers(numbers.subarray(HEAD + loads))
  }

  dispose(): void {
    this.world.dispose()
  }
}
