import { HttpServer } from '@trimtab/node/http'
import type { OperatorContext } from './context.js'
import { answerHealth } from './health.js'
import { ExternalScaler } from './keda/external-scaler.js'
import { answerMetricsApi } from './keda/metrics-api.js'
import { Recommendations } from './keda/recommendations.js'
import type { OperatorMetrics } from './metrics.js'

/** Where an operator listens; 0: any port that is free. */
export interface OperatorPorts {
  /** `/metrics`, `/healthz`, `/readyz`. */
  readonly metrics: number
  /** For KEDA's `metrics-api` scaler; default: nowhere. */
  readonly keda?: number | undefined
  /** For KEDA's external scaler; default: nowhere. */
  readonly kedaGrpc?: number | undefined
}

/** What is asked over these ports. */
export interface Asked {
  readonly context: OperatorContext & { readonly metrics: OperatorMetrics }
  readonly unready: () => readonly string[]
  /** An older recommendation is not served. */
  readonly maxAgeMs: number
}

/** All that an operator listens on. */
export class OperatorServers {
  readonly #closers: (() => unknown)[] = []
  #ports: OperatorPorts = { metrics: 0 }

  /** @throws {ConfigError} `port_unusable`, `grpc_missing`; nothing is left open */
  static async open(ports: OperatorPorts, asked: Asked): Promise<OperatorServers> {
    const servers = new OperatorServers()
    try {
      await servers.#open(ports, asked)
      return servers
    } catch (error) {
      await servers.close()
      throw error
    }
  }

  /** As they were found. */
  get ports(): OperatorPorts {
    return this.#ports
  }

  /** Closes all. */
  async close(): Promise<void> {
    for (const close of this.#closers.splice(0).reverse()) await close()
  }

  async #open(ports: OperatorPorts, { context, unready, maxAgeMs }: Asked): Promise<void> {
    const listen = async (starting: Promise<HttpServer | ExternalScaler>): Promise<number> => {
      const server = await starting
      this.#closers.push(() => server.close())
      return server.port
    }
    const recommendations = new Recommendations(context, maxAgeMs)
    this.#closers.push(() => recommendations.dispose())
    const { keda, kedaGrpc } = ports
    const health = answerHealth({ metrics: context.metrics.all, unready })
    this.#ports = {
      metrics: await listen(HttpServer.listen(health, ports.metrics)),
      ...(keda !== undefined && { keda: await listen(HttpServer.listen(answerMetricsApi(recommendations), keda)) }),
      ...(kedaGrpc !== undefined && { kedaGrpc: await listen(ExternalScaler.listen(recommendations, kedaGrpc)) }),
    }
  }
}
