/** A caller's value as it came, but never more of it than a message can bear. */
export function quote(value: unknown): string {
  const text = JSON.stringify(value) ?? ''
  return text.length <= 60 ? text : `${text.slice(0, 57)}…`
}
