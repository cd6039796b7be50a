import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'

/**
 * Returns the secret of a password as PostgreSQL stores it (RFC 5803), with one iteration in place of 4,096. A connection
 * authenticates as in production, but without the work that makes guessing expensive. The setting `scram_iterations` does
 * the same, but exists only from PostgreSQL 16 on.
 */
export function createScramSecret(password: string): string {
  const iterations = 1
  const salt = randomBytes(16)
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256')
  const keyOf = (name: string) => createHmac('sha256', salted).update(name).digest()
  const storedKey = createHash('sha256').update(keyOf('Client Key')).digest()
  const text = (bytes: Buffer) => bytes.toString('base64')
  return `SCRAM-SHA-256$${iterations}:${text(salt)}$${text(storedKey)}:${text(keyOf('Server Key'))}`
}
