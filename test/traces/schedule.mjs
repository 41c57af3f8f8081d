// From who calls whom, in which order, to spans with times: the part that all generated traces share.
// A plan lists calls parent first. Calls with the same parent and the same stage run side by side, stages one after the
// other, and between them the parent works for `gapUs`. Times are whole µs, so that every format can hold them.

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** `bytes` random bytes in hex. */
export function randomId(random, bytes) {
  let id = ''
  for (let i = 0; i < bytes; i++) id += HEX[random.integer(256)]
  return id
}

/** How long each call takes, children first: its own work and, for each stage, the slowest call it waits for. */
function durations(calls) {
  const stage = new Int32Array(calls.length).fill(-1)
  const stageUs = new Float64Array(calls.length)
  const totalUs = Float64Array.from(calls, ({ gapUs }) => gapUs)
  for (let i = calls.length - 1; i >= 0; i--) {
    totalUs[i] += stageUs[i]
    const call = calls[i]
    const parent = call.parent
    if (parent < 0) continue
    if (call.stage !== stage[parent]) {
      totalUs[parent] += stageUs[parent] + calls[parent].gapUs
      stageUs[parent] = 0
      stage[parent] = call.stage
    }
    if (!call.isBackground) stageUs[parent] = Math.max(stageUs[parent], call.delayUs + totalUs[i])
  }
  return totalUs
}

/** When each call starts, in µs after the first one, parents first. */
function starts(calls, durationUs) {
  const stage = new Int32Array(calls.length).fill(-1)
  const stageUs = new Float64Array(calls.length)
  const cursorUs = new Float64Array(calls.length)
  const startUs = new Float64Array(calls.length)
  for (let i = 0; i < calls.length; i++) {
    const call = calls[i]
    const parent = call.parent
    if (parent >= 0) {
      if (call.stage !== stage[parent]) {
        cursorUs[parent] += stageUs[parent] + calls[parent].gapUs
        stageUs[parent] = 0
        stage[parent] = call.stage
      }
      startUs[i] = cursorUs[parent] + call.delayUs
      if (!call.isBackground) stageUs[parent] = Math.max(stageUs[parent], call.delayUs + durationUs[i])
    }
    cursorUs[i] = startUs[i]
  }
  return startUs
}

/**
 * @param calls  [{ parent, stage, gapUs, delayUs, isBackground, service, operation, kind, instance, isError }], parents
 *               before their children and siblings in the order of their stages; `parent` is an index, −1 for the root
 * @param originUs  when the root starts, µs since 1970
 * @returns spans as `@trimtab/trace` takes them, in the order of the calls
 */
export function schedule(random, calls, originUs) {
  const durationUs = durations(calls)
  const startUs = starts(calls, durationUs)
  const traceId = randomId(random, 16)
  const ids = calls.map(() => randomId(random, 8))
  return calls.map((call, i) => ({
    traceId,
    id: ids[i],
    parentId: call.parent < 0 ? null : ids[call.parent],
    service: call.service,
    operation: call.operation,
    instance: call.instance,
    kind: call.kind,
    reference: call.isBackground ? 'follows-from' : 'child-of',
    startUs: originUs + startUs[i],
    durationUs: durationUs[i],
    isError: call.isError,
  }))
}
