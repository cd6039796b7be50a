import { createPrivateKey, X509Certificate } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createCertificateAuthority } from './certificate-authority.ts'
import { integer } from './der.ts'

const names = ['localhost', 'api.tallystick.test', '*.wild.test', '127.0.0.1', '::1', '2001:db8::8:800:200c:417a']
const authority = createCertificateAuthority()
const server = authority.issue(names)
const authorityCert = new X509Certificate(authority.cert)
const serverCert = new X509Certificate(server.cert)

describe('the authority', () => {
  test('default: the authority signs its own certificate', () => {
    expect(authorityCert.ca).toBe(true)
    expect(authorityCert.verify(authorityCert.publicKey)).toBe(true)
    expect(authorityCert.checkIssued(authorityCert)).toBe(true)
    expect(authorityCert.subject).toBe(authorityCert.issuer)
    expect(authorityCert.checkPrivateKey(createPrivateKey(authority.key))).toBe(true)
  })

  test('behavior: two authorities have different names and keys and do not sign for each other', () => {
    const other = createCertificateAuthority()
    const otherCert = new X509Certificate(other.cert)
    expect(otherCert.subject).not.toBe(authorityCert.subject)
    expect(serverCert.verify(otherCert.publicKey)).toBe(false)
    expect(serverCert.checkIssued(otherCert)).toBe(false)
  })
})

describe('a server’s certificate', () => {
  test('default: is signed by the authority, for its own key, and is not an authority', () => {
    expect(serverCert.ca).toBe(false)
    expect(serverCert.verify(authorityCert.publicKey)).toBe(true)
    expect(serverCert.checkIssued(authorityCert)).toBe(true)
    expect(serverCert.checkPrivateKey(createPrivateKey(server.key))).toBe(true)
    expect(serverCert.checkPrivateKey(createPrivateKey(authority.key))).toBe(false)
    expect(serverCert.subject).toBe('CN=localhost')
    expect(serverCert.publicKey.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' })
  })

  test('default: for servers only', () => {
    // The type says string[] of usages, RFC 5280's id-kp-serverAuth.
    expect(serverCert.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1'])
  })

  test.each(['localhost', 'LOCALHOST', 'api.tallystick.test', 'any.wild.test'])('behavior: is valid for %s', (name) => {
    expect(serverCert.checkHost(name)).toBeDefined()
  })

  test.each(['tallystick.test', 'wild.test', 'a.b.wild.test', 'localhost.test', 'example.com'])(
    'error: is not valid for %s',
    (name) => {
      expect(serverCert.checkHost(name)).toBeUndefined()
    },
  )

  test.each(['127.0.0.1', '::1', '0:0:0:0:0:0:0:1', '2001:db8::8:800:200c:417a', '2001:DB8:0:0:8:800:200C:417A'])(
    'behavior: is valid for %s',
    (address) => {
      expect(serverCert.checkIP(address)).toBeDefined()
    },
  )

  test.each(['127.0.0.2', '::2', '::', '2001:db8::8:800:200c:417b'])('error: is not valid for %s', (address) => {
    expect(serverCert.checkIP(address)).toBeUndefined()
  })

  test('behavior: each has its own serial number and key', () => {
    const certificates = Array.from({ length: 20 }, () => new X509Certificate(authority.issue(['localhost']).cert))
    expect(new Set(certificates.map(({ serialNumber }) => serialNumber)).size).toBe(20)
    expect(new Set(certificates.map(({ fingerprint256 }) => fingerprint256)).size).toBe(20)
  })
})

describe('time', () => {
  test('behavior: is valid from 1 day before to 800 days after its creation', () => {
    const made = createCertificateAuthority(new Date('2026-07-15T12:34:56.789Z'))
    for (const pem of [made.cert, made.issue(['localhost']).cert]) {
      const certificate = new X509Certificate(pem)
      expect(new Date(certificate.validFrom).toISOString()).toBe('2026-07-14T12:34:56.000Z')
      expect(new Date(certificate.validTo).toISOString()).toBe('2028-09-22T12:34:56.000Z')
    }
  })

  // RFC 5280 §4.1.2.5: dates through 2049 are UTCTime (tag 0x17), those after it GeneralizedTime (tag 0x18).
  test('behavior: dates before 2050 are written as UTCTime', () => {
    const made = createCertificateAuthority(new Date('2026-07-15T12:34:56Z'))
    const { raw } = new X509Certificate(made.cert)
    expect(raw.includes(Buffer.from('\x17\x0d260714123456Z', 'latin1'))).toBe(true)
    expect(raw.includes(Buffer.from('\x17\x0d280922123456Z', 'latin1'))).toBe(true)
  })
})

// X.690 §8.3.2: a serial number that happens to begin with a zero byte, if written as it is, makes one certificate in
// 512 unreadable ("illegal padding").
test.each([
  ['0001', '020101'],
  ['00000001', '020101'],
  ['0080', '02020080'],
  ['80', '02020080'],
  ['7f', '02017f'],
  ['00', '020100'],
  ['000000', '020100'],
])('behavior: the number %s has the shortest encoding', (bytes, expected) => {
  expect(integer(Buffer.from(bytes, 'hex')).toString('hex')).toBe(expected)
})
