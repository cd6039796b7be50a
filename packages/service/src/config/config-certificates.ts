import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import { ticketKeyBytes } from '@tallystick/http'
import type { z } from 'zod'

/** Adds a fault for each file that is unreadable, not PEM, or does not match the other. */
export function checkCertificate(
  files: { readonly cert: string; readonly key: string },
  context: z.RefinementCtx,
): void {
  const faultOfKey = faultAt('key', context)
  const faultOfCert = faultAt('cert', context)
  const cert = readOrFault(files.cert, faultOfCert)
  const key = readOrFault(files.key, faultOfKey)
  if (!cert || !key) return
  if (!isCertificate(cert)) {
    faultOfCert(`${files.cert} contains no PEM certificate`)
    return
  }
  try {
    createSecureContext({ cert, key })
  } catch {
    faultOfKey(`${files.key} contains no PEM private key, or the key of another certificate`)
  }
}

/** Adds a fault if the file of the ticket key is unreadable or has another size. */
export function checkTicketKeys(path: string, context: z.RefinementCtx): void {
  const fault = faultAt('ticketKeys', context)
  const file = readOrFault(path, fault)
  if (!file || file.length === ticketKeyBytes) return
  const command = `openssl rand -out <file> ${ticketKeyBytes}`
  fault(`${path} has ${file.length} bytes, not ${ticketKeyBytes}. Create it with \`${command}\``)
}

/** Adds a fault if the file of a certificate authority is unreadable or not PEM. */
export function checkAuthority(path: string, context: z.RefinementCtx): void {
  const fault = faultAt('ca', context)
  const file = readOrFault(path, fault)
  if (file && !isCertificate(file)) fault(`${path} contains no PEM certificate`)
}

type Fault = (message: string) => void

function faultAt(member: string, context: z.RefinementCtx): Fault {
  return (message) => context.addIssue({ code: 'custom', path: [member], message })
}

function readOrFault(path: string, fault: Fault): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch (error) {
    fault(`${path} cannot be read (${(error as NodeJS.ErrnoException).code})`)
    return undefined
  }
}

function isCertificate(file: Buffer): boolean {
  try {
    new X509Certificate(file)
    return true
  } catch {
    return false
  }
}
