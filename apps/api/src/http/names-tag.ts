/** Whether an If-None-Match header names a tag (RFC 9110 §13.1.2): a list of tags or `*`, compared without regard to weakness. */
export function namesTag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  if (header.trim() === '*') return true
  return header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)
}
