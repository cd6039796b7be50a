/** Returns whether requests with credentials may be sent to a URL: https, or http on this machine. */
export function isSafeEndpoint(value: string): boolean {
  return isPlainUrl(value, 'https:') || (isPlainUrl(value, 'http:') && isLoopbackUrl(value))
}

export function isPlainHttpsUrl(value: string): boolean {
  return isPlainUrl(value, 'https:')
}

function isPlainUrl(value: string, scheme: 'https:' | 'http:'): boolean {
  if (!URL.canParse(value)) return false
  const { protocol, username, password, search, hash } = new URL(value)
  return protocol === scheme && `${username}${password}${search}${hash}` === ''
}

function isLoopbackUrl(value: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]'].includes(new URL(value).hostname)
}
