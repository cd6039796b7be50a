import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { connect, rootCertificates } from 'node:tls'
import { countOf } from '@tallystick/base/pure'
import type { Config } from '@tallystick/service'
import type { Findings } from './findings.ts'

export type CertificateCheckContext = {
  readonly listen: Config['listen']
  /** Host names that clients use, in addition to the one in the configuration. */
  readonly hosts: readonly string[]
  /** Real time: clients do not use the service's clock. */
  readonly nowMs: number
}

const dayMs = 86_400_000
// Common authorities renew a month ahead. With two weeks left, a renewal has failed.
const daysLeftMin = 14

/** Checks the certificate file. Returns the server's certificate if there is one. */
export function checkCertificate(
  findings: Findings,
  { listen, hosts, nowMs }: CertificateCheckContext,
): X509Certificate | undefined {
  if (!listen.tls) {
    findings.skip('file', 'the proxy terminates TLS: check its certificate there')
    return undefined
  }
  const certificates = readCertificates(findings, listen.tls.cert)
  const [leaf] = certificates
  if (!leaf) return undefined
  checkKey(findings, { certificates, path: listen.tls.key })
  for (const certificate of certificates) checkDates(findings, { certificate, nowMs, isLeaf: certificate === leaf })
  checkNames(findings, { leaf, hosts: isIP(listen.host) ? hosts : [listen.host, ...hosts] })
  checkChain(findings, certificates)
  return leaf
}

function readCertificates(findings: Findings, path: string): X509Certificate[] {
  const advice = 'Set listen.tls.cert to a PEM file with the server’s certificate first, then its issuers.'
  try {
    const blocks = readFileSync(path, 'utf8').match(/-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/gs) ?? []
    const certificates = blocks.map((block) => new X509Certificate(block))
    if (certificates.length === 0) findings.fail('file', `${path} contains no PEM certificate`, advice)
    else
      findings.ok('file', `${path} contains ${certificates.length}, the first for ${oneLine(certificates[0]?.subject)}`)
    return certificates
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const isRead = code?.startsWith('ERR_') ?? true
    findings.fail('file', isRead ? `${path} has a damaged certificate` : `${path} cannot be read (${code})`, advice)
    return []
  }
}

function checkKey(
  findings: Findings,
  { certificates, path }: { readonly certificates: readonly X509Certificate[]; readonly path: string },
): void {
  const key = readKey(path)
  const position = key ? certificates.findIndex((certificate) => certificate.checkPrivateKey(key)) : -1
  if (!key) findings.fail('key', `${path} cannot be read or has no PEM private key`, 'Correct listen.tls.key.')
  else if (position === 0) findings.ok('key', 'the private key matches the certificate')
  else if (position > 0) {
    const found = `the private key matches certificate number ${position + 1} of the file, not the first`
    findings.fail('key', found, 'Put the server’s own certificate first in listen.tls.cert.')
  } else {
    const advice = 'Use the certificate and the key of the same issuance.'
    findings.fail('key', 'the private key does not match the certificate', advice)
  }
}

function readKey(path: string): KeyObject | undefined {
  try {
    return createPrivateKey(readFileSync(path))
  } catch {
    return undefined
  }
}

type Validity = { readonly certificate: X509Certificate; readonly nowMs: number; readonly isLeaf: boolean }

function checkDates(findings: Findings, { certificate, nowMs, isLeaf }: Validity): void {
  const name = isLeaf ? 'dates' : `dates of ${oneLine(certificate.subject)}`
  const from = Date.parse(certificate.validFrom)
  const daysLeft = Math.floor((Date.parse(certificate.validTo) - nowMs) / dayMs)
  const renew = 'Renew it. A changed file is loaded within 1 s.'
  if (nowMs < from) {
    const advice = 'Wait until then, use the previous certificate, or correct this machine’s clock.'
    findings.fail(name, `it is not valid before ${certificate.validFrom}`, advice)
  } else if (daysLeft < 0)
    findings.fail(name, `it expired ${certificate.validTo}, ${countOf(-daysLeft, 'day')} ago`, renew)
  else if (daysLeft < daysLeftMin)
    findings.warn(name, `it expires in ${countOf(daysLeft, 'day')}, ${certificate.validTo}`, renew)
  else if (isLeaf) findings.ok(name, `it is valid for ${countOf(daysLeft, 'more day')}, until ${certificate.validTo}`)
}

function checkNames(
  findings: Findings,
  { leaf, hosts }: { readonly leaf: X509Certificate; readonly hosts: readonly string[] },
): void {
  const advice = 'Get a certificate for every name that clients use.'
  if (!leaf.subjectAltName) {
    findings.fail('names', 'it has no subject alternative name, which clients require', advice)
    return
  }
  const missing = hosts.filter((host) => !(isIP(host) ? leaf.checkIP(host) : leaf.checkHost(host)))
  const names = leaf.subjectAltName.replaceAll('DNS:', '').replaceAll('IP Address:', '')
  if (missing.length === 0) findings.ok('names', `it is for ${names}`)
  else findings.fail('names', `it is for ${names}, not for ${missing.join(', ')}`, advice)
}

/** Checks that the first certificate chains to a well-known root. */
function checkChain(findings: Findings, certificates: readonly X509Certificate[]): void {
  const top = findLastIssuer(certificates)
  const isRoot = isIssuedBy(top, top)
  if (isRoot && top === certificates[0]) {
    const found = 'it is self-signed: only clients that trust it explicitly accept it'
    findings.warn('chain', found, 'Use it only for tests.')
    return
  }
  if (wellKnownRoots().some((root) => root.fingerprint256 === top.fingerprint256 || isIssuedBy(top, root))) {
    findings.ok('chain', `it leads to ${oneLine(isRoot ? top.subject : top.issuer)}`)
    return
  }
  const found = `it leads to ${oneLine(top.issuer)}, which is ${isRoot ? 'not a well-known root' : 'neither in the file nor a well-known root'}`
  // A public authority's certificates name the URL of the issuer's certificate. A private authority's do not.
  if (!isRoot && /CA Issuers/.test(top.infoAccess ?? '')) {
    const advice = 'Append the issuer’s certificate (the "full chain") in listen.tls.cert.'
    findings.fail('chain', `${found}: an intermediate certificate is missing`, advice)
    return
  }
  findings.warn('chain', found, 'If this is your own authority, clients must trust its certificate.')
}

/** Follows the issuers in the file from the first certificate to the last one. */
function findLastIssuer(certificates: readonly X509Certificate[]): X509Certificate {
  let top = certificates[0] as X509Certificate
  for (let step = 0; step < certificates.length; step++) {
    const issuer = certificates.find((candidate) => candidate !== top && isIssuedBy(top, candidate))
    if (!issuer) return top
    top = issuer
  }
  return top
}

function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)
}

let parsedRoots: readonly X509Certificate[] | undefined

/** Returns Node's root certificates. They are parsed once, which takes 50 ms. */
function wellKnownRoots(): readonly X509Certificate[] {
  parsedRoots ??= rootCertificates.map((root) => new X509Certificate(root))
  return parsedRoots
}

function oneLine(name: string | undefined): string {
  return (name ?? '').replaceAll('\n', ', ')
}

const timeoutMs = 5_000

/** Checks that the running service serves the certificate in the file. */
export async function checkServedCertificate(
  findings: Findings,
  { listen, certificate }: { readonly listen: Config['listen']; readonly certificate: X509Certificate },
): Promise<void> {
  if (listen.port === 0) return findings.skip('served', 'listen.port is 0: the service’s port is unknown')
  const served = await readServed(listen)
  if (typeof served === 'string') {
    const found = `no TLS on ${reachableHost(listen.host)} port ${listen.port} (${served})`
    findings.fail('served', found, 'Check listen.host and listen.port, and which process listens there.')
  } else if (served.fingerprint256 === certificate.fingerprint256) {
    findings.ok('served', 'the running service serves this certificate')
  } else {
    const found = `the running service serves another one, valid until ${served.validTo}`
    findings.fail('served', found, 'Check its log for why it did not load the file, and restart it.')
  }
}

/** Returns an address at which a listener can be reached, also if it listens on all interfaces. */
export function reachableHost(host: string): string {
  return ['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host
}

function readServed({ host, port }: Config['listen']): Promise<X509Certificate | string> {
  return new Promise((resolve) => {
    // Not verified: the certificate is only compared, and nothing is sent.
    const socket = connect({ host: reachableHost(host), port, rejectUnauthorized: false, timeout: timeoutMs })
    const end = (result: X509Certificate | string) => {
      socket.destroy()
      resolve(result)
    }
    socket.once('secureConnect', () => end(socket.getPeerX509Certificate() ?? 'no certificate'))
    socket.once('timeout', () => end(`no response within ${timeoutMs} ms`))
    socket.once('error', (error: NodeJS.ErrnoException) => end(error.code ?? 'connection lost'))
  })
}
