/** What a request carries to say who asks. */
export interface Identity {
  /** `authorization`, and the headers of impersonation. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  /** PEM: a client certificate and its key. */
  readonly certificate?: string
  readonly key?: string
}

/**
 * Who asks. Called before each request; `refused` is what the server has just answered 401 to, so that a rotated token is read again
 * and a plug-in is run again.
 *
 * @throws {ConfigError} that says which file or plug-in gave nothing usable
 */
export type Credentials = (refused?: Identity) => Promise<Identity>

/** An API server, how to trust it, and who asks. */
export interface Cluster {
  readonly server: URL
  /** PEM; undefined: the authorities of the host. */
  readonly authority?: string
  /** The name that the certificate must have, where it is not that of the URL. */
  readonly serverName?: string
  /** Accepts any certificate (`insecure-skip-tls-verify`). */
  readonly isUnverified: boolean
  /** Where objects are looked for when no namespace is said. */
  readonly namespace: string
  readonly credentials: Credentials
}
