/** Quotes a caller's value in a message, cut to 60 characters. */
export function quote(value: unknown): string {
  const text = JSON.stringify(value) ?? ''
  return text.length <= 60 ? text : `${text.slice(0, 57)}…`
}
