import { Problems } from '@trimtab/core'
import type { OnnxSession, OnnxValueMetadata } from '../runtime.js'

/** Names of the inputs, where they are not the usual ones. */
export interface InputNames {
  /** Token ids [batch, tokens]. Default `input_ids`. */
  readonly ids?: string
  /** 1 for a token, 0 for padding [batch, tokens]. Default `attention_mask`. */
  readonly mask?: string
  /** Zeros [batch, tokens], for models that want them. Default `token_type_ids`, where the model has it. */
  readonly types?: string
  /** The served model as one-hot, float32 [batch, models]. Default `model`. */
  readonly model?: string
}

/** How a model is fed, once its inputs and outputs have been judged. */
export interface ModelPorts {
  readonly ids: string
  readonly mask: string
  readonly types: string | undefined
  /** Undefined for a model that serves one model only. */
  readonly model: string | undefined
  readonly output: string
  readonly tokenType: 'int32' | 'int64'
  /** Where the model insists on a size. */
  readonly batch: number | undefined
  readonly tokens: number | undefined
}

/**
 * Finds out how to feed a model, and refuses one that is not a length predictor for these served models.
 * @throws {ConfigError} `config_invalid` with every problem
 */
export function modelPorts(
  session: OnnxSession,
  options: {
    readonly inputs?: InputNames | undefined
    readonly output?: string | undefined
    readonly models: readonly string[]
  },
): ModelPorts {
  const { inputs = {}, models } = options
  const problems = new Problems()
  const ids = inputs.ids ?? 'input_ids'
  const mask = inputs.mask ?? 'attention_mask'
  const model = models.length > 0 ? (inputs.model ?? 'model') : undefined
  const types = inputs.types ?? session.inputNames.find((name) => name === 'token_type_ids')
  const wanted = [ids, mask, ...(types === undefined ? [] : [types]), ...(model === undefined ? [] : [model])]
  const has = session.inputNames.join(', ')
  for (const name of wanted) {
    problems.check(session.inputNames.includes(name), `the model has no input "${name}", it has ${has} (set inputs)`)
  }
  for (const name of session.inputNames) {
    problems.check(wanted.includes(name), `nothing is known to feed the model's input "${name}" with`)
  }
  const about = (name: string): OnnxValueMetadata | undefined =>
    session.inputMetadata.find((metadata) => metadata.name === name)
  const tokenType = about(ids)?.type
  for (const name of [ids, mask, ...(types === undefined ? [] : [types])]) {
    const metadata = about(name)
    if (!metadata) continue
    problems.check(
      (metadata.type === 'int64' || metadata.type === 'int32') && metadata.type === tokenType,
      `input "${name}" must be int64 or int32, like the ids, got ${metadata.type}`,
    )
    problems.check(metadata.shape?.length === 2, `input "${name}" must be [batch, tokens], got ${shapeText(metadata)}`)
  }
  const oneHot = model === undefined ? undefined : about(model)
  if (oneHot) {
    const width = oneHot.shape?.[1]
    problems.check(
      oneHot.type === 'float32' && oneHot.shape?.length === 2 && (typeof width !== 'number' || width === models.length),
      `input "${model}" must be float32 [batch, ${models.length}], a column for each of models, got ${shapeText(oneHot)}`,
    )
  }
  const output = findOutput(session, options.output, problems)
  problems.throwIfAny('proxy model')
  const [batch, tokens] = about(ids)?.shape ?? []
  return {
    ...{ ids, mask, types, model, output },
    tokenType: tokenType === 'int32' ? 'int32' : 'int64',
    batch: typeof batch === 'number' ? batch : undefined,
    tokens: typeof tokens === 'number' ? tokens : undefined,
  }
}

/** The output that is one number a row. */
function findOutput(session: OnnxSession, wanted: string | undefined, problems: Problems): string {
  const names = session.outputNames
  const name = wanted ?? names[0] ?? ''
  problems.check(
    wanted !== undefined || names.length === 1,
    `the model has ${names.length} outputs (${names.join(', ')}): name the one that is the class (set output)`,
  )
  problems.check(names.includes(name), `the model has no output "${name}", it has ${names.join(', ')}`)
  const metadata = session.outputMetadata.find((candidate) => candidate.name === name)
  const width = metadata?.shape?.[1] ?? 1
  problems.check(
    metadata === undefined ||
      (metadata.type === 'float32' && (metadata.shape?.length ?? 1) <= 2 && !(Number(width) > 1)),
    `output "${name}" must be one real number a row, float32 [batch, 1], got ${metadata && shapeText(metadata)}`,
  )
  return name
}

const shapeText = ({ type, shape }: OnnxValueMetadata): string => `${type} [${shape?.join(', ')}]`
