import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { isIP, isIPv4 } from 'node:net'
import { bitString, boolean, integer, objectId, octetString, sequence, setOf, tagged, time, utf8String } from './der.ts'

/** Certificate and private key in PEM format. */
export type PemPair = { readonly cert: string; readonly key: string }

export type CertificateAuthority = PemPair & {
  /** Issues a certificate for DNS names and IP addresses, by default for a server and with a P-256 key. */
  issue(
    names: readonly string[],
    options?: {
      /** URL of the authority's certificate, as public authorities include it. */
      readonly issuerUrl?: string | undefined
      readonly keyType?: 'ec' | 'rsa' | undefined
      readonly usage?: 'server' | 'client' | undefined
      /** Signed with its own key instead of the authority's. */
      readonly isSelfSigned?: boolean | undefined
    },
  ): PemPair
}

const dayMs = 86_400_000
// Clients reject server certificates that are valid for more than 825 days.
const lifetimeMs = 800 * dayMs

const oid = {
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  commonName: '2.5.4.3',
  subjectKeyIdentifier: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  authorityKeyIdentifier: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
  authorityInfoAccess: '1.3.6.1.5.5.7.1.1',
  caIssuers: '1.3.6.1.5.5.7.48.2',
  serverAuth: '1.3.6.1.5.5.7.3.1',
  clientAuth: '1.3.6.1.5.5.7.3.2',
} as const

/**
 * Creates a local certificate authority (RFC 5280, P-256), valid from the day before `now`. Clients check certificates by
 * the real time, not by a simulated one.
 */
export function createCertificateAuthority(now: Date = new Date()): CertificateAuthority {
  const name = `Tallystick local authority ${randomBytes(3).toString('hex')}`
  const authority = { name, ...generateKeyPairSync('ec', { namedCurve: 'P-256' }) }
  const certify = (subject: Subject, extensions: readonly Buffer[], issuer: Subject = authority) => {
    // Strict clients (Python 3.13 and later) require these identifiers.
    const identifiers = [
      extension(oid.subjectKeyIdentifier, octetString(keyIdentifier(subject.publicKey)), { critical: false }),
      extension(oid.authorityKeyIdentifier, authorityIdentifier(issuer), { critical: false }),
    ]
    return encodeCertificate({ issuer, subject, extensions: [...extensions, ...identifiers], now })
  }
  return {
    cert: certify(authority, [
      extension(oid.basicConstraints, sequence(boolean(true)), { critical: true }),
      // keyCertSign and cRLSign: bits 5 and 6.
      extension(oid.keyUsage, bitString(Buffer.of(0b0000_0110), 1), { critical: true }),
    ]),
    key: exportKey(authority.privateKey),
    issue: (names, { issuerUrl, keyType = 'ec', usage = 'server', isSelfSigned } = {}) => {
      const server =
        keyType === 'ec'
          ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
          : generateKeyPairSync('rsa', { modulusLength: 2048 })
      const subject = { name: names[0] ?? 'localhost', ...server }
      const extensions = [
        extension(oid.basicConstraints, sequence(), { critical: true }),
        extension(oid.keyUsage, bitString(Buffer.of(0b1000_0000), 7), { critical: true }),
        extension(oid.extendedKeyUsage, sequence(objectId(oid[`${usage}Auth`])), { critical: false }),
        extension(oid.subjectAltName, sequence(...names.map(encodeName)), { critical: false }),
        ...(issuerUrl === undefined ? [] : [informationAccess(issuerUrl)]),
      ]
      const cert = certify(subject, extensions, isSelfSigned ? subject : undefined)
      return { cert, key: exportKey(server.privateKey) }
    },
  }
}

/** Holder of a key pair. */
type Subject = { readonly name: string; readonly publicKey: KeyObject; readonly privateKey: KeyObject }

function authorityIdentifier({ publicKey }: Subject): Buffer {
  return sequence(tagged(0, keyIdentifier(publicKey), { constructed: false }))
}

type CertificateContent = {
  readonly issuer: Subject
  readonly subject: Subject
  readonly extensions: readonly Buffer[]
  readonly now: Date
}

function encodeCertificate({ issuer, subject, extensions, now }: CertificateContent): string {
  const algorithm = sequence(objectId(oid.ecdsaWithSha256))
  const body = sequence(
    tagged(0, integer(Buffer.of(2)), { constructed: true }), // version 3
    integer(randomBytes(16)),
    algorithm,
    distinguishedName(issuer.name),
    sequence(time(new Date(now.getTime() - dayMs)), time(new Date(now.getTime() + lifetimeMs))),
    distinguishedName(subject.name),
    subject.publicKey.export({ type: 'spki', format: 'der' }),
    tagged(3, sequence(...extensions), { constructed: true }),
  )
  const certificate = sequence(body, algorithm, bitString(sign('sha256', body, issuer.privateKey)))
  const lines = certificate.toString('base64').match(/.{1,64}/g) as string[]
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n')
}

function distinguishedName(commonName: string): Buffer {
  return sequence(setOf(sequence(objectId(oid.commonName), utf8String(commonName))))
}

function extension(id: string, value: Buffer, { critical }: { readonly critical: boolean }): Buffer {
  return sequence(objectId(id), ...(critical ? [boolean(true)] : []), octetString(value))
}

/** Encodes the authority information access (RFC 5280 §4.2.2.1). uniformResourceIdentifier is [6]. */
function informationAccess(issuerUrl: string): Buffer {
  const location = tagged(6, Buffer.from(issuerUrl), { constructed: false })
  const description = sequence(objectId(oid.caIssuers), location)
  return extension(oid.authorityInfoAccess, sequence(description), { critical: false })
}

/** Returns the SHA-1 hash of a key. RFC 5280 §4.2.1.2 allows any unique value. */
function keyIdentifier(publicKey: KeyObject): Buffer {
  return createHash('sha1')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest()
}

/** Encodes a name. dNSName is [2], iPAddress is [7] with the bytes of the address. */
function encodeName(name: string): Buffer {
  if (isIP(name) === 0) return tagged(2, Buffer.from(name), { constructed: false })
  return tagged(7, isIPv4(name) ? Buffer.from(name.split('.').map(Number)) : ipv6Bytes(name), { constructed: false })
}

function ipv6Bytes(address: string): Buffer {
  const [head = '', tail = ''] = address.split('::')
  const groups = (part: string) => (part === '' ? [] : part.split(':'))
  const missing = 8 - groups(head).length - groups(tail).length
  const all = [...groups(head), ...new Array<string>(missing).fill('0'), ...groups(tail)]
  return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex')
}

function exportKey(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }) as string
}
