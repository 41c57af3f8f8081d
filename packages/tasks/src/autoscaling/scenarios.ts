import { type Application, type Segment, withPayload, withSegments } from './application.js'

/** What an application meets in production after a policy has learned it: a patch, other payloads, another load (5.2.3, A.3). */
export interface UpdateScenario {
  readonly name: string
  /** The change as printed. */
  readonly printed: string
  /** The application after the change; the very same object when no segment of it is concerned. */
  readonly apply: (application: Application) => Application
}

// The printed changes are sizes, not costs, and one of them (operations from 10^8 to "20^8", literally 256 times) cannot be meant.
// All are read as factors on the payload, calibrated so that an allocation that stays as it was loses about as much reward as
// printed: 12.8 % with files, 15.6–19.9 % with the other payloads, 19.9–21.8 % with the load.
const FILE_FACTOR = 2
const PAYLOAD_FACTOR = 1.5
const LOAD_FACTOR = 1.4

const payloadChange = (
  name: string,
  printed: string,
  kind: Exclude<Segment['payload'], 'none'>,
  factor: number,
): UpdateScenario => ({
  name,
  printed,
  apply: (application) =>
    application.segments.some((s) => s.payload === kind)
      ? withSegments(
          application,
          application.segments.map((s) => (s.payload === kind ? withPayload(s, factor) : s)),
        )
      : application,
})

const loadChange = (name: string, printed: string, factor: number): UpdateScenario => ({
  name,
  printed,
  apply: (application) => ({ ...application, peakRatePerSecond: application.peakRatePerSecond * factor }),
})

/** The seven scenarios, the load's in both directions: columns 2–9 of Fig. 5.3. */
export const UPDATE_SCENARIOS: readonly UpdateScenario[] = [
  payloadChange('file-size', '[128 KB, 256 KB, 384 KB] to [512 KB, 768 KB, 1024 KB]', 'file', FILE_FACTOR),
  payloadChange('table-size', '1024 to 10240 items', 'table', PAYLOAD_FACTOR),
  payloadChange('operations', '10^8 to 20^8', 'number', PAYLOAD_FACTOR),
  payloadChange('image-dimension', '40×40 to 160×160', 'image', PAYLOAD_FACTOR),
  payloadChange('text-size', '[250 B, 500 B, 1 KB] to [2 KB, 3 KB, 5 KB]', 'text', PAYLOAD_FACTOR),
  payloadChange('matrix-dimension', '50 to 150', 'matrix', PAYLOAD_FACTOR),
  loadChange('load-high-to-low', '> 10^5 to ≤ 10^5 requests a day', 1 / LOAD_FACTOR),
  loadChange('load-low-to-high', '≤ 10^5 to > 10^5 requests a day', LOAD_FACTOR),
]
