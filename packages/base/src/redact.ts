/** Secret that is not shown when an object that contains it is printed. */
export type Secret = { reveal(): string }

// Shorter texts occur in ordinary words.
const secretLengthMin = 4

/**
 * Replaces secrets in a text that others wrote, longest first. Ignores secrets of less than 4 characters.
 *
 * @example
 * redact('GET /v1/0123abcd failed', ['0123abcd']) // 'GET /v1/… failed'
 */
export function redact(text: string, secrets: readonly string[], replacement = '…'): string {
  return secrets
    .filter(({ length }) => length >= secretLengthMin)
    .sort((a, b) => b.length - a.length)
    .reduce((clean, secret) => clean.replaceAll(secret, () => replacement), text)
}

/** Quotes a caller's value in a message, cut to 60 characters. */
export function quote(value: unknown): string {
  const text = JSON.stringify(value) ?? ''
  return text.length <= 60 ? text : `${text.slice(0, 57)}…`
}
