import { hash } from 'node:crypto'

/** Returns the hash under which a secret is stored and looked up. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'hex')
}
