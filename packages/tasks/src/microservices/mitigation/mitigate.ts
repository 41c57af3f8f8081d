import type { Actuators, MitigationPolicy, Order, OrderOutcome, Window, WindowSource } from './application.js'

/** What a loop of mitigation runs with. */
export interface MitigateOptions {
  readonly source: WindowSource
  readonly actuators: Actuators
  readonly policy: MitigationPolicy
  /** Ends the iteration: rejects with its reason. */
  readonly signal?: AbortSignal
}

/** One turn of the loop. */
export interface MitigationTick {
  readonly window: Window
  readonly orders: readonly Order[]
  readonly outcomes: readonly OrderOutcome[]
}

/**
 * Window after window: see, decide, order. The same for a simulator and for a live application; actuators that only recommend apply
 * nothing.
 *
 * @example
 * for await (const { orders } of mitigate({ source: application, actuators: application, policy })) console.log(orders)
 */
export async function* mitigate(options: MitigateOptions): AsyncGenerator<MitigationTick, never, void> {
  const { source, actuators, policy, signal } = options
  for (;;) {
    signal?.throwIfAborted()
    const window = await source.next(signal)
    const orders = policy.decide(window)
    const outcomes = await actuators.apply(orders, signal)
    yield { window, orders, outcomes }
  }
}
