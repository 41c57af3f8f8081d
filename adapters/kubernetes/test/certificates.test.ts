import { createPrivateKey, X509Certificate } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createAuthority, issueCertificate } from '../src/index.js'

const notBefore = new Date('2026-01-01T00:00:00Z')
const authority = createAuthority({
  commonName: 'Trimtab webhook',
  organizations: ['Trimtab'],
  notBefore,
  notAfter: new Date('2036-01-01T00:00:00Z'),
})

describe('a certificate', () => {
  it('names its hosts, its issuer and its time, and fits its key', () => {
    const hosts = ['webhook.trimtab.svc', '10.0.0.7', 'fd00::1:2']
    const { certificate, key } = issueCertificate(authority, {
      commonName: 'webhook',
      hosts,
      notBefore,
      notAfter: new Date('2051-03-04T05:06:07Z'),
    })
    const read = new X509Certificate(certificate)
    const root = new X509Certificate(authority.certificate)
    expect(read.checkIssued(root)).toBe(true)
    expect(read.verify(root.publicKey)).toBe(true)
    expect(read.checkPrivateKey(createPrivateKey(key))).toBe(true)
    expect(read.checkHost('webhook.trimtab.svc')).toBe('webhook.trimtab.svc')
    expect(read.checkHost('other.trimtab.svc')).toBeUndefined()
    expect(read.checkIP('10.0.0.7')).toBe('10.0.0.7')
    expect(read.checkIP('fd00::1:2')).toBe('fd00::1:2')
    expect([read.ca, root.ca]).toEqual([false, true])
    expect(read.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1'])
    expect(new Date(read.validTo).toISOString()).toBe('2051-03-04T05:06:07.000Z')
    expect(new Date(read.validFrom).toISOString()).toBe(notBefore.toISOString())
  })

  it('without hosts is a client, its organizations are groups', () => {
    const { certificate } = issueCertificate(authority, {
      commonName: 'ann',
      organizations: ['dev', 'ops'],
      notBefore,
      notAfter: new Date('2027-01-01'),
    })
    const { subject, issuer, keyUsage } = new X509Certificate(certificate)
    expect(subject).toBe('O=dev\nO=ops\nCN=ann')
    expect(issuer).toBe('O=Trimtab\nCN=Trimtab webhook')
    expect(keyUsage).toEqual(['1.3.6.1.5.5.7.3.2'])
  })

  it('is refused for a time that ends before it begins', () => {
    expect(() => createAuthority({ commonName: 'x', notBefore, notAfter: notBefore })).toThrow(
      /notAfter must come after notBefore/,
    )
  })

  it('has a serial number of its own', () => {
    const numbers = new Set(
      Array.from(
        { length: 20 },
        () =>
          new X509Certificate(
            createAuthority({ commonName: 'x', notBefore, notAfter: new Date('2027-01-01') }).certificate,
          ).serialNumber,
      ),
    )
    expect(numbers.size).toBe(20)
  })
})
