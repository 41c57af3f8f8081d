// The certificate of the webhook, and the authority that signed it: made here, kept in a Secret that all replicas share, renewed in time.
import { createPrivateKey, X509Certificate } from 'node:crypto'
import {
  createAuthority,
  hasCode,
  issueCertificate,
  type KeyedCertificate,
  type KubernetesObject,
  resource,
  type StringMap,
} from '@trimtab/kubernetes'
import type { OperatorContext } from '../context.js'
import { ADMISSION_SECRET, nameOf } from '../names.js'

interface Secret extends KubernetesObject {
  readonly type?: string
  readonly data?: StringMap
}

const SECRETS = resource<Secret>('v1', 'Secret', 'secrets')

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const AUTHORITY_MS = 730 * DAY_MS
const CERTIFICATE_MS = 90 * DAY_MS
/** Other clocks may be behind ours. */
const BACKDATED_MS = HOUR_MS

/** What is served with, and by whom it is known: PEM. */
export interface ServingCertificate extends KeyedCertificate {
  readonly authority: KeyedCertificate
  /** The authority and those before it that still hold: what the API server is to believe. */
  readonly bundle: string
}

/** Keeps it. */
export class CertificateKeeper {
  readonly #context: OperatorContext
  readonly #hosts: readonly string[]

  /** @param hosts  by which the API server asks for the webhook */
  constructor(context: OperatorContext, hosts: readonly string[]) {
    this.#context = context
    this.#hosts = hosts
  }

  /**
   * The certificate to serve with: that of the Secret; a new one where a third of its time is left, or it is unsound. Of several replicas that
   * renew it at once one succeeds, and the others take what that one has made.
   * @throws as every method of the client
   */
  async current(signal: AbortSignal): Promise<ServingCertificate> {
    const { client, namespace, clock } = this.#context
    const ref = { namespace, name: ADMISSION_SECRET }
    const options = { fieldManager: nameOf('admission'), signal }
    for (;;) {
      const secret = await client.get(SECRETS, ref, { signal }).catch(unlessMissing)
      const held = secret && readSecret(secret)
      const next = renewed(held, this.#hosts, clock.now())
      if (next === held) return next
      const written = { ...secret, metadata: secret?.metadata ?? ref, type: 'kubernetes.io/tls', data: toData(next) }
      try {
        await (secret ? client.replace(SECRETS, written, options) : client.create(SECRETS, written, options))
        return next
      } catch (error) {
        if (!hasCode(error, 'api_conflict', 'api_already_exists')) throw error
        // another replica was faster: what it has made is read
      }
    }
  }
}

function unlessMissing(error: unknown): undefined {
  if (!hasCode(error, 'api_not_found')) throw error
}

/** What is held while it is sound and young enough; else with what is new in it. */
function renewed(held: ServingCertificate | undefined, hosts: readonly string[], nowMs: number): ServingCertificate {
  const dates = (forMs: number) => ({ notBefore: new Date(nowMs - BACKDATED_MS), notAfter: new Date(nowMs + forMs) })
  const keepsAuthority = held !== undefined && isSound(held.authority, held.authority, [], nowMs)
  if (keepsAuthority && isSound(held, held.authority, hosts, nowMs)) return held
  const authority = keepsAuthority
    ? held.authority
    : createAuthority({ commonName: `${nameOf('admission')} authority`, ...dates(AUTHORITY_MS) })
  const [commonName = nameOf('admission')] = hosts
  const own = issueCertificate(authority, { commonName, hosts, ...dates(CERTIFICATE_MS) })
  const older = certificatesOf(held?.bundle ?? '').filter((pem) => pem !== authority.certificate && endOf(pem) > nowMs)
  return { ...own, authority, bundle: [authority.certificate, ...older].join('') }
}

/** Signed by the authority, of its own key, for these hosts, and with more than a third of its time left. */
function isSound(
  { certificate, key }: KeyedCertificate,
  authority: KeyedCertificate,
  hosts: readonly string[],
  nowMs: number,
): boolean {
  try {
    const own = new X509Certificate(certificate)
    const [from, to] = [Date.parse(own.validFrom), Date.parse(own.validTo)]
    return (
      own.verify(new X509Certificate(authority.certificate).publicKey) &&
      own.checkPrivateKey(createPrivateKey(key)) &&
      hosts.every((host) => own.checkHost(host) !== undefined || own.checkIP(host) !== undefined) &&
      from <= nowMs &&
      to - nowMs > (to - from) / 3
    )
  } catch {
    return false // no certificate, or no key
  }
}

const certificatesOf = (bundle: string): string[] =>
  bundle.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n?/g)?.map((pem) => `${pem.trimEnd()}\n`) ??
  []

function endOf(pem: string): number {
  try {
    return Date.parse(new X509Certificate(pem).validTo)
  } catch {
    return 0 // no certificate: let go
  }
}

const NAMES = {
  certificate: 'tls.crt',
  key: 'tls.key',
  authority: 'ca.crt',
  authorityKey: 'ca.key',
  bundle: 'ca-bundle.crt',
}

function toData({ certificate, key, authority, bundle }: ServingCertificate): StringMap {
  const base64 = (text: string): string => Buffer.from(text).toString('base64')
  return {
    [NAMES.certificate]: base64(certificate),
    [NAMES.key]: base64(key),
    [NAMES.authority]: base64(authority.certificate),
    [NAMES.authorityKey]: base64(authority.key),
    [NAMES.bundle]: base64(bundle),
  }
}

function readSecret({ data = {} }: Secret): ServingCertificate {
  const text = (name: string): string => Buffer.from(data[name] ?? '', 'base64').toString()
  return {
    certificate: text(NAMES.certificate),
    key: text(NAMES.key),
    authority: { certificate: text(NAMES.authority), key: text(NAMES.authorityKey) },
    bundle: text(NAMES.bundle),
  }
}
