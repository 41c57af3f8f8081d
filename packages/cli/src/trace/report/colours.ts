// One colour for each service everywhere on a page. Colours only help: every mark also says its name.

/** The golden angle: neighbours in rank are far apart in hue, however many there are. */
const STEP_DEGREES = 137.508
const FIRST_DEGREES = 250

export class ServiceColours {
  readonly #ranks = new Map<string, number>()

  /** @param services  the most important first, so that those get the hues farthest apart */
  constructor(services: Iterable<string>) {
    for (const service of services) if (!this.#ranks.has(service)) this.#ranks.set(service, this.#ranks.size)
  }

  /** The hue as a style attribute; the sheet turns it into a colour for either theme. A service without a rank is grey. */
  style(service: string): string {
    const rank = this.#ranks.get(service)
    if (rank === undefined) return '--h:0;--c:0'
    return `--h:${Math.round((FIRST_DEGREES + rank * STEP_DEGREES) % 360)}`
  }
}
