import * as ort from 'onnxruntime-web'

// onnxruntime is the independent truth about what an ONNX file means.
ort.env.wasm.numThreads = 1
ort.env.logLevel = 'error'

export { ort }

/** Runs a model once: float32 inputs as typed arrays, int32 ones as Int32Array. */
export async function runModel(
  model: Uint8Array,
  feeds: Readonly<Record<string, { readonly values: Float32Array | Int32Array; readonly shape: readonly number[] }>>,
): Promise<Record<string, Float32Array>> {
  const session = await ort.InferenceSession.create(model, { executionProviders: ['wasm'] })
  const tensors = Object.entries(feeds).map(([name, { values, shape }]) => [
    name,
    values instanceof Float32Array
      ? new ort.Tensor('float32', values, [...shape])
      : new ort.Tensor('int32', values, [...shape]),
  ])
  const results = await session.run(Object.fromEntries(tensors))
  await session.release()
  return Object.fromEntries(Object.entries(results).map(([name, tensor]) => [name, tensor.data as Float32Array]))
}
