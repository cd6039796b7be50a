import type { Config } from '../config/config.ts'

/** Returns the URL of the admin listener, as seen from this machine. */
export function adminUrlOf({ host, port }: Pick<Config['admin'], 'host' | 'port'>): string {
  const reachable = ['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}
