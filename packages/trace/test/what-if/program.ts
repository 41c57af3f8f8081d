import type { Span } from '../../src/types.js'

/** A service's handler: it works, calls others one after the other or side by side, waits for them, and works on. */
export interface Program {
  readonly service: string
  readonly operation: string
  readonly steps: readonly Step[]
}

/** Work of the handler itself, or calls: branches run side by side, the calls of one branch one after the other. */
export type Step = { readonly workUs: number } | { readonly branches: readonly (readonly Call[])[] }

/** A call and what the handler does before it, in its branch. */
export interface Call {
  readonly gapUs: number
  readonly program: Program
}

export interface ProgramOptions {
  readonly services: number
  /** Calls in a branch at most; 1 is pure fork and join. */
  readonly chain: number
  /** Longest work before a call, as a part of other work: 0 starts all branches at once. */
  readonly gap01: number
  /** How many of the calls repeat one that the handler made before. */
  readonly repeated01: number
}

/** A program of one endpoint: a tree of handlers, three levels deep, drawn at random. */
export function drawProgram(uniform: () => number, { services, chain, gap01, repeated01 }: ProgramOptions): Program {
  const integer = (below: number): number => Math.floor(uniform() * below)
  let operations = 0
  const draw = (level: number): Program => {
    const service = level === 0 ? 'gateway' : `s${integer(services)}`
    const operation = `o${operations++}`
    const steps: Step[] = [{ workUs: workUs() }]
    const called: Program[] = []
    const callee = (): Program => {
      if (called.length > 0 && uniform() < repeated01) return called[integer(called.length)]!
      called.push(draw(level + 1))
      return called.at(-1)!
    }
    for (let stages = level < 3 ? integer(4) : 0; stages > 0; stages--) {
      const branches = Array.from({ length: 1 + integer(3) }, () =>
        Array.from({ length: 1 + integer(chain) }, () => ({
          gapUs: Math.floor(gap01 * workUs()),
          program: callee(),
        })),
      )
      steps.push({ branches }, { workUs: workUs() })
    }
    return { service, operation, steps }
  }
  const workUs = (): number => 100 * (1 + integer(100))
  return draw(0)
}

/** The same program as one request runs it: every work drawn between nothing and three times what it is. */
export function drawRequest(uniform: () => number, program: Program): Program {
  const vary = (us: number): number => 100 * Math.round((us / 100) * 3 * uniform() ** 2)
  const again = ({ service, operation, steps }: Program): Program => ({
    service,
    operation,
    steps: steps.map((step) =>
      'workUs' in step
        ? { workUs: vary(step.workUs) }
        : {
            branches: step.branches.map((calls) =>
              calls.map(({ gapUs, program: called }) => ({ gapUs: vary(gapUs), program: again(called) })),
            ),
          },
    ),
  })
  return again(program)
}

/** Runs a request and writes down its spans, as a tracer would. @param slowdown  what work of a service is multiplied by */
export function run(program: Program, slowdown: (service: string) => number = () => 1): Span[] {
  const spans: Span[] = []
  const handle = ({ service, operation, steps }: Program, startUs: number, parentId: string | null): number => {
    const id = String(spans.length)
    const factor = slowdown(service)
    spans.push({ id, parentId, service, operation, startUs, durationUs: 0, kind: 'server' })
    let now = startUs
    for (const step of steps) {
      if ('workUs' in step) {
        now += step.workUs * factor
        continue
      }
      const ends = step.branches.map((calls) =>
        calls.reduce((at, { gapUs, program: called }) => handle(called, at + gapUs * factor, id), now),
      )
      now = Math.max(now, ...ends)
    }
    spans[Number(id)] = { ...spans[Number(id)]!, durationUs: now - startUs }
    return now
  }
  handle(program, 0, null)
  return spans
}

export const latencyUs = (spans: readonly Span[]): number => spans[0]!.durationUs
