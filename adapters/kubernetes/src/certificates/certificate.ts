// X.509 version 3 with ECDSA on P-256 (RFC 5280): what a webhook's own authority needs, and no more.
import { createHash, createPrivateKey, generateKeyPairSync, randomBytes, sign, X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { ConfigError } from '@trimtab/core'
import { bits, boolean, der, integer, objectId, octets, sequence, setOf, time, utf8 } from './der.js'

/** A certificate and its private key, both PEM. */
export interface KeyedCertificate {
  readonly certificate: string
  readonly key: string
}

/** Whom a certificate names, and when it holds. */
export interface CertificateOptions {
  readonly commonName: string
  /** Groups of a user, where the certificate is one's. */
  readonly organizations?: readonly string[]
  /** DNS names and addresses of a server. */
  readonly hosts?: readonly string[]
  readonly notBefore: Date
  readonly notAfter: Date
}

const ECDSA_WITH_SHA256 = sequence(objectId('1.2.840.10045.4.3.2'))
const COMMON_NAME = '2.5.4.3'
const ORGANIZATION = '2.5.4.10'
const SERVER_AUTH = '1.3.6.1.5.5.7.3.1'
const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2'

/** A new authority, signed by itself. @throws {ConfigError} `config_invalid` */
export function createAuthority(options: Omit<CertificateOptions, 'hosts'>): KeyedCertificate {
  return signed(options, undefined)
}

/**
 * A certificate for a server (with hosts) or a client (without), signed by an authority.
 * @throws {ConfigError} `config_invalid`
 */
export function issueCertificate(authority: KeyedCertificate, options: CertificateOptions): KeyedCertificate {
  return signed(options, authority)
}

function signed(options: CertificateOptions, authority: KeyedCertificate | undefined): KeyedCertificate {
  const { commonName, organizations = [], hosts = [], notBefore, notAfter } = options
  if (!(notBefore < notAfter))
    throw new ConfigError('config_invalid', `notAfter must come after notBefore, got ${notBefore} and ${notAfter}`)
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const publicInfo = publicKey.export({ type: 'spki', format: 'der' })
  const subject = nameOf(commonName, organizations)
  const issuer = authority ? subjectOf(authority.certificate) : { name: subject, keyId: keyIdOf(publicInfo) }
  const isAuthority = authority === undefined
  const extensions = sequence(
    extension('2.5.29.19', isAuthority ? sequence(boolean(true)) : sequence(), true), // basicConstraints
    // keyUsage: keyCertSign and cRLSign, or digitalSignature
    extension(
      '2.5.29.15',
      isAuthority ? bits(Buffer.from([0b0000_0110]), 1) : bits(Buffer.from([0b1000_0000]), 7),
      true,
    ),
    extension('2.5.29.14', octets(keyIdOf(publicInfo))), // subjectKeyIdentifier
    extension('2.5.29.35', sequence(der(0x80, issuer.keyId))), // authorityKeyIdentifier
    ...(isAuthority ? [] : [extension('2.5.29.37', sequence(objectId(hosts.length > 0 ? SERVER_AUTH : CLIENT_AUTH)))]),
    ...(hosts.length > 0 ? [extension('2.5.29.17', sequence(...hosts.map(hostName)))] : []),
  )
  const toBeSigned = sequence(
    der(0xa0, integer(Buffer.from([2]))), // version 3
    integer(serialNumber()),
    ECDSA_WITH_SHA256,
    issuer.name,
    sequence(time(notBefore), time(notAfter)),
    subject,
    publicInfo,
    der(0xa3, extensions),
  )
  const signature = sign('sha256', toBeSigned, authority ? createPrivateKey(authority.key) : privateKey)
  return {
    certificate: pemOf(sequence(toBeSigned, ECDSA_WITH_SHA256, bits(signature))),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

/** Name and key identifier of an authority, as what it signs repeats them. */
function subjectOf(pem: string): { name: Uint8Array; keyId: Uint8Array } {
  const { subject, publicKey } = new X509Certificate(pem)
  const said = subject.split('\n').map((line) => line.split('=') as [string, string])
  const of = (attribute: string): string[] => said.flatMap(([name, value]) => (name === attribute ? [value] : []))
  return { name: nameOf(of('CN')[0] ?? '', of('O')), keyId: keyIdOf(publicKey.export({ type: 'spki', format: 'der' })) }
}

function nameOf(commonName: string, organizations: readonly string[]): Uint8Array {
  const attribute = (type: string, value: string): Uint8Array => setOf(sequence(objectId(type), utf8(value)))
  return sequence(...organizations.map((name) => attribute(ORGANIZATION, name)), attribute(COMMON_NAME, commonName))
}

const extension = (id: string, value: Uint8Array, isCritical = false): Uint8Array =>
  sequence(objectId(id), ...(isCritical ? [boolean(true)] : []), octets(value))

/** Any identifier that is the key's own serves; this one is the usual hash. */
const keyIdOf = (publicInfo: Uint8Array): Uint8Array => createHash('sha1').update(publicInfo).digest()

/** 16 bytes, the first of them neither 0 nor negative. */
function serialNumber(): Uint8Array {
  const bytes = randomBytes(16)
  bytes[0] = (bytes[0]! & 0x3f) | 0x40
  return bytes
}

function hostName(host: string): Uint8Array {
  const family = isIP(host)
  if (family === 0) return der(0x82, Buffer.from(host))
  if (family === 4) return der(0x87, Buffer.from(host.split('.').map(Number)))
  return der(0x87, addressBytes(host))
}

function addressBytes(address: string): Uint8Array {
  const [head = '', tail] = address.split('::')
  const groups = (text: string): string[] => text.split(':').filter((group) => group !== '')
  const left = groups(head)
  const right = tail === undefined ? [] : groups(tail)
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0')
  return Buffer.from([...left, ...zeros, ...right].map((group) => group.padStart(4, '0')).join(''), 'hex')
}

const pemOf = (bytes: Uint8Array): string =>
  `-----BEGIN CERTIFICATE-----\n${Buffer.from(bytes).toString('base64').replace(/.{64}/g, '$&\n').trimEnd()}\n-----END CERTIFICATE-----\n`
