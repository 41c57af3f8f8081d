import { AdapterError } from '@trimtab/core'

// What is used of an onnxruntime: onnxruntime-web, onnxruntime-node and onnxruntime-react-native all have it.

/** The element types that are fed and read here, in the words of onnxruntime. */
export type OnnxElementType = 'float32' | 'int32' | 'int64'

/** A tensor of the runtime: `data` is a typed array of its element type, row by row, `dims` its shape. */
export interface OnnxTensor {
  readonly data: unknown
  readonly dims: readonly number[]
}

/** What a model says of an input or output; a dimension that is a name may differ from run to run. */
export interface OnnxValueMetadata {
  readonly name: string
  readonly isTensor: boolean
  readonly type?: string
  readonly shape?: ReadonlyArray<number | string>
}

/**
 * A loaded model: the part of onnxruntime's `InferenceSession` that is used here, so that a test can stand in for it.
 */
export interface OnnxSession {
  readonly inputNames: readonly string[]
  readonly outputNames: readonly string[]
  readonly inputMetadata: readonly OnnxValueMetadata[]
  readonly outputMetadata: readonly OnnxValueMetadata[]
  /** Runs the model once. Keys are names of inputs and of outputs. */
  run(feeds: Record<string, OnnxTensor>): Promise<Record<string, OnnxTensor>>
  /** Gives the memory of the model back; the session must not be used afterwards. */
  release(): Promise<void>
}

/** An onnxruntime package, as `import * as ort from 'onnxruntime-web'` gives it. */
export interface OnnxRuntime {
  readonly InferenceSession: {
    create(model: Uint8Array | string, options?: Record<string, unknown>): Promise<OnnxSession>
  }
  readonly Tensor: new (
    type: OnnxElementType,
    values: Float32Array | Int32Array | BigInt64Array,
    dims: readonly number[],
  ) => OnnxTensor
}

/**
 * onnxruntime-web, loaded when it is first needed.
 * @throws {AdapterError} `onnx_runtime_missing`
 */
export async function loadRuntime(): Promise<OnnxRuntime> {
  try {
    return (await import('onnxruntime-web')) as unknown as OnnxRuntime
  } catch (cause) {
    throw new AdapterError(
      'onnx_runtime_missing',
      'onnxruntime-web could not be loaded: npm install onnxruntime-web, or pass another onnxruntime as `runtime`',
      { cause },
    )
  }
}

/**
 * Opens a model.
 * @param model  its bytes, or a path or address that the runtime can open
 * @throws {AdapterError} `onnx_model_unreadable` with what the runtime said
 */
export async function openSession(
  runtime: OnnxRuntime,
  model: Uint8Array | string,
  options: Record<string, unknown> = {},
): Promise<OnnxSession> {
  try {
    return await runtime.InferenceSession.create(model, options)
  } catch (cause) {
    const what = typeof model === 'string' ? model : `the model of ${model.byteLength} bytes`
    throw new AdapterError('onnx_model_unreadable', `${what} cannot be opened by onnxruntime: ${String(cause)}`, {
      cause,
    })
  }
}
