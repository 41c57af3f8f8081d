/** The base of every error Trimtab throws. Tell errors apart by `code`: two copies of a package may be loaded side by side. */
export class TrimtabError extends Error {
  /** Stable, machine-readable; part of the API. */
  readonly code: string

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = new.target.name
    this.code = code
  }
}

/** What the caller passed in cannot be used; nothing was changed. */
export class ConfigError extends TrimtabError {}

/** The wasm core failed; after `core_trapped` the instance must not be used again. */
export class CoreError extends TrimtabError {}

/** A saved file cannot be used as it is. */
export class FormatError extends TrimtabError {}

/** A trace holds nothing that can be analysed; whatever can be mended is mended and reported instead. */
export class TraceError extends TrimtabError {}

/** A request was given up before it ran: no room, too late, dropped. */
export class ServingError extends TrimtabError {}

/** The host said no; `cause` is what it said. */
export class AdapterError extends TrimtabError {}

/** Collects every problem of a configuration before refusing it, each with its path. */
export class Problems {
  readonly #list: string[] = []

  /** Notes `message` unless `holds`. */
  check(holds: boolean, message: string): void {
    if (!holds) this.#list.push(message)
  }

  /**
   * Notes every key of `given` that is none of `known`: a misspelt option would otherwise be ignored in silence.
   * @param path  where the options stand in the caller's configuration, `options`
   */
  checkKeys(given: object, known: readonly string[], path: string): void {
    for (const key of Object.keys(given)) {
      this.check(known.includes(key), `${path}.${key} is no option; there are ${known.join(', ')}`)
    }
  }

  /** @throws {ConfigError} `config_invalid` with every problem noted so far */
  throwIfAny(subject: string): void {
    if (this.#list.length > 0) throw new ConfigError('config_invalid', `${subject}: ${this.#list.join('; ')}`)
  }
}
