import { ConfigError, FormatError, type TrajectoryStep } from '@trimtab/core'
import { crc32 } from './crc32.js'

// A trajectory file, all numbers little-endian:
//   header   +0 magic 'TRIMTRAJ'   +8 version u32   +12 L u32   +16 JSON [L] {"observation":[names],"action":[names]}   CRC u32
//   records  +0 episode u32   +4 step u32   +8 reward f64   +16 observation f32 [S]   action f32 [A]   CRC u32
// Records have one size, so that the nth is found without an index, and one damaged record does not hide the next.

const MAGIC = new TextEncoder().encode('TRIMTRAJ')
const VERSION = 1
const FIXED_BYTES = 16 // up to the JSON of the header, and up to the observation of a record
const CRC_BYTES = 4
const MAX_U32 = 2 ** 32 - 1

/** What a file's columns are called; two tasks never share a file. */
export interface TrajectoryColumns {
  readonly observation: readonly string[]
  readonly action: readonly string[]
}

export function encodeHeader({ observation, action }: TrajectoryColumns): Uint8Array {
  const json = new TextEncoder().encode(JSON.stringify({ observation, action }))
  const bytes = new Uint8Array(FIXED_BYTES + json.length + CRC_BYTES)
  const view = new DataView(bytes.buffer)
  bytes.set(MAGIC)
  view.setUint32(8, VERSION, true)
  view.setUint32(12, json.length, true)
  bytes.set(json, FIXED_BYTES)
  view.setUint32(bytes.length - CRC_BYTES, crc32(bytes, 0, bytes.length - CRC_BYTES), true)
  return bytes
}

/**
 * Compares the beginning of a file with the header it must have.
 *
 * @param start  as many bytes as `expected` has, fewer when the file is shorter
 * @returns whether the header is whole; `false`: the file was cut inside its header and holds nothing
 * @throws {FormatError} `trajectory_file_foreign`, `trajectory_file_version`, `trajectory_file_other_columns`
 */
export function checkHeader(path: string, start: Uint8Array, expected: Uint8Array): boolean {
  const isPrefix = start.every((byte, i) => byte === expected[i])
  if (isPrefix) return start.length === expected.length
  if (start.length < MAGIC.length || MAGIC.some((byte, i) => start[i] !== byte)) {
    throw new FormatError(
      'trajectory_file_foreign',
      `${path} is not a trajectory file and was left untouched: choose another path`,
    )
  }
  const version = start.length >= 12 ? new DataView(start.buffer, start.byteOffset).getUint32(8, true) : Number.NaN
  if (version !== VERSION) {
    throw new FormatError(
      'trajectory_file_version',
      `${path} has trajectory format version ${version}, this package reads ${VERSION}: choose another path or use the version that wrote it`,
    )
  }
  throw new FormatError(
    'trajectory_file_other_columns',
    `${path} holds trajectories of another task, or its header is damaged (expected columns ${new TextDecoder().decode(expected.subarray(FIXED_BYTES, -CRC_BYTES))}): use one file for each task`,
  )
}

/** Writes steps into records and reads them back. */
export class RecordCodec {
  readonly recordBytes: number
  readonly #stateSize: number
  readonly #actionSize: number

  constructor(columns: TrajectoryColumns) {
    this.#stateSize = columns.observation.length
    this.#actionSize = columns.action.length
    this.recordBytes = FIXED_BYTES + 4 * (this.#stateSize + this.#actionSize) + CRC_BYTES
  }

  /** @throws {ConfigError} `trajectory_shape`: other sizes than the columns, or an episode or step that is no 32-bit count */
  encode(step: TrajectoryStep, record: DataView): void {
    this.#check(step)
    const { observation, action } = step
    record.setUint32(0, step.episode, true)
    record.setUint32(4, step.step, true)
    record.setFloat64(8, step.reward, true)
    let at = FIXED_BYTES
    for (let i = 0; i < observation.length; i++, at += 4) record.setFloat32(at, observation[i]!, true)
    for (let i = 0; i < action.length; i++, at += 4) record.setFloat32(at, action[i]!, true)
    record.setUint32(at, crc32(new Uint8Array(record.buffer, record.byteOffset, at)), true)
  }

  isWhole(record: DataView): boolean {
    const at = this.recordBytes - CRC_BYTES
    return record.getUint32(at, true) === crc32(new Uint8Array(record.buffer, record.byteOffset, at))
  }

  decode(record: DataView): TrajectoryStep {
    const floats = (count: number, at: number) =>
      Float32Array.from({ length: count }, (_, i) => record.getFloat32(at + 4 * i, true))
    return {
      episode: record.getUint32(0, true),
      step: record.getUint32(4, true),
      reward: record.getFloat64(8, true),
      observation: floats(this.#stateSize, FIXED_BYTES),
      action: floats(this.#actionSize, FIXED_BYTES + 4 * this.#stateSize),
    }
  }

  #check({ observation, action, episode, step }: TrajectoryStep): void {
    if (observation.length !== this.#stateSize || action.length !== this.#actionSize) {
      throw new ConfigError(
        'trajectory_shape',
        `this file holds observations [${this.#stateSize}] and actions [${this.#actionSize}], got [${observation.length}] and [${action.length}]`,
      )
    }
    for (const [name, value] of [['episode', episode] as const, ['step', step] as const]) {
      if (!Number.isInteger(value) || value < 0 || value > MAX_U32) {
        throw new ConfigError('trajectory_shape', `${name} must be a whole number of 32 bits, got ${value}`)
      }
    }
  }
}
