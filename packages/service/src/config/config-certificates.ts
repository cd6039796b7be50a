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
  const read = (member: 'cert' | 'key') => {
    try {
      return readFileSync(files[member])
    } catch (error) {
      const message = `${files[member]} cannot be read (${(error as NodeJS.ErrnoException).code})`
      context.addIssue({ code: 'custom', path: [member], message })
      return undefined
    }
  }
  const cert = read('cert')
  const key = read('key')
  if (!cert || !key) return
  try {
    new X509Certificate(cert)
  } catch {
    context.addIssue({ code: 'custom', path: ['cert'], message: `${files.cert} contains no PEM certificate` })
    return
  }
  try {
    createSecureContext({ cert, key })
  } catch {
    const message = `${files.key} contains no PEM private key, or the key of another certificate`
    context.addIssue({ code: 'custom', path: ['key'], message })
  }
}

/** Adds a fault if the file of the ticket key is unreadable or has another size. */
export function checkTicketKeys(path: string, context: z.RefinementCtx): void {
  const fault = (message: string) => context.addIssue({ code: 'custom', path: ['ticketKeys'], message })
  try {
    const { length } = readFileSync(path)
    if (length !== ticketKeyBytes) {
      fault(
        `${path} has ${length} bytes, not ${ticketKeyBytes}. Create it with \`openssl rand -out <file> ${ticketKeyBytes}\``,
      )
    }
  } catch (error) {
    fault(`${path} cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
}

/** Adds a fault if the file of a certificate authority is unreadable or not PEM. */
export function checkAuthority(path: string, context: z.RefinementCtx): void {
  try {
    new X509Certificate(readFileSync(path))
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    const message = /^E[A-Z]+$/.test(code) ? `${path} cannot be read (${code})` : `${path} contains no PEM certificate`
    context.addIssue({ code: 'custom', path: ['ca'], message })
  }
}
