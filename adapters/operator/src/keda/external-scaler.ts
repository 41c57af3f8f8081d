import { fileURLToPath } from 'node:url'
import type { ServerUnaryCall, ServerWritableStream, ServiceDefinition, sendUnaryData } from '@grpc/grpc-js'
import { ConfigError } from '@trimtab/core'
import type { Recommendations, WantedReplicas } from './recommendations.js'

const PROTO = fileURLToPath(new URL('../../proto/externalscaler.proto', import.meta.url))
const METRIC = 'wanted_replicas'

interface ScaledObjectRef {
  readonly name: string
  readonly namespace: string
  readonly scalerMetadata: Readonly<Record<string, string>>
}

type Unary<Request, Response> = (call: ServerUnaryCall<Request, Response>, answer: sendUnaryData<Response>) => void

/**
 * KEDA's ExternalScaler over gRPC: one metric, the replicas that an autoscaler wants, of which each pod is one. What is asked is named by
 * `scalerMetadata.autoscaler`, else as the ScaledObject. Unknown autoscalers are NOT_FOUND, those without a fresh decision UNAVAILABLE.
 */
export class ExternalScaler {
  /** Where it listens. */
  readonly port: number
  readonly #close: () => void

  private constructor(port: number, close: () => void) {
    this.port = port
    this.#close = close
  }

  /**
   * Listens, without TLS.
   * @param port  0: any that is free
   * @throws {ConfigError} `grpc_missing` (the optional packages are not installed), `port_unusable`
   */
  static async listen(recommendations: Recommendations, port: number, host = '0.0.0.0'): Promise<ExternalScaler> {
    const { grpc, service } = await loadGrpc()
    const { NOT_FOUND, UNAVAILABLE } = grpc.status
    const failureOf = (found: Exclude<WantedReplicas, { state: 'fresh' }>) => ({
      code: found.state === 'unknown' ? NOT_FOUND : UNAVAILABLE,
      details: found.message,
    })
    const withReplicas =
      <Request, Response>(
        refOf: (request: Request) => ScaledObjectRef,
        respond: (replicas: number) => Response,
      ): Unary<Request, Response> =>
      ({ request }, answer) => {
        const found = recommendations.of(autoscalerOf(refOf(request)))
        if (found.state === 'fresh') answer(null, respond(found.replicas))
        else answer(failureOf(found))
      }
    const itself = (ref: ScaledObjectRef): ScaledObjectRef => ref
    const server = new grpc.Server()
    server.addService(service, {
      IsActive: withReplicas(itself, (replicas) => ({ result: replicas > 0 })),
      StreamIsActive: (call: ServerWritableStream<ScaledObjectRef, { result: boolean }>) => {
        let last: boolean | undefined
        const tell = (): void => {
          const found = recommendations.of(autoscalerOf(call.request))
          if (found.state !== 'fresh' || found.replicas > 0 === last) return
          last = found.replicas > 0
          call.write({ result: last })
        }
        const end = recommendations.watch(tell)
        call.on('cancelled', () => {
          end()
          call.end()
        })
        tell()
      },
      GetMetricSpec: withReplicas(itself, () => ({
        metricSpecs: [{ metricName: METRIC, targetSize: 1, targetSizeFloat: 1 }],
      })),
      GetMetrics: withReplicas(
        ({ scaledObjectRef }: { readonly scaledObjectRef: ScaledObjectRef }) => scaledObjectRef,
        (replicas) => ({
          metricValues: [{ metricName: METRIC, metricValue: replicas, metricValueFloat: replicas }],
        }),
      ),
    })
    const bound = await new Promise<number>((resolve, reject) =>
      server.bindAsync(`${host}:${port}`, grpc.ServerCredentials.createInsecure(), (cause, bound) =>
        cause
          ? reject(new ConfigError('port_unusable', `port ${port} cannot be listened on: ${cause.message}`, { cause }))
          : resolve(bound),
      ),
    )
    return new ExternalScaler(bound, () => server.forceShutdown())
  }

  /** Ends; whoever waits for an answer is cut off. */
  close(): void {
    this.#close()
  }
}

const autoscalerOf = ({ namespace, name, scalerMetadata }: ScaledObjectRef) => ({
  namespace,
  name: scalerMetadata.autoscaler ?? name,
})

/** Loaded only where it is asked for. */
async function loadGrpc(): Promise<{ grpc: typeof import('@grpc/grpc-js'); service: ServiceDefinition }> {
  try {
    const [grpc, loader] = await Promise.all([import('@grpc/grpc-js'), import('@grpc/proto-loader')])
    const definition = await loader.load(PROTO, { longs: Number, defaults: true })
    return { grpc, service: definition['externalscaler.ExternalScaler'] as ServiceDefinition }
  } catch (cause) {
    const way = 'npm install @grpc/grpc-js @grpc/proto-loader, or let KEDA ask by its metrics-api scaler'
    throw new ConfigError('grpc_missing', `gRPC cannot be loaded (${(cause as Error).message}): ${way}`, { cause })
  }
}
