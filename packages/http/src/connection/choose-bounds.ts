import { readFileSync } from 'node:fs'

/** Files reserved for the admin listener, the database, RPCs, remote subgraphs and disk. */
const reservedFiles = 256
// An idle TLS connection takes about 50 KB. More than this must be configured.
const connectionsMaxDefault = 10_000
// For a system without a readable limit. Most have at least 1,024.
const connectionsMaxUnknown = 1_024 - reservedFiles

/**
 * Returns how many connections may be open without running out of file descriptors, and the problem of a configured
 * number that is too high.
 */
export function chooseConnectionsMax({
  configured,
  openFileLimit,
}: {
  readonly configured: number | undefined
  readonly openFileLimit: number | undefined
}): { readonly max: number; readonly problem?: string | undefined } {
  if (openFileLimit === undefined) return { max: configured ?? connectionsMaxUnknown }
  // If the limit is too low for both, connections get half.
  const affordable = Math.max(openFileLimit - reservedFiles, Math.floor(openFileLimit / 2))
  if (configured === undefined) return { max: Math.min(affordable, connectionsMaxDefault) }
  if (configured <= affordable) return { max: configured }
  const problem =
    `listen.connectionsMax is ${configured}, but this process can open only ${openFileLimit} files and reserves ` +
    `${reservedFiles} of them. Raise the limit (LimitNOFILE=, ulimit -n) or set at most ${affordable}.`
  return { max: configured, problem }
}

/** Reads how many files this process may open. Undefined if the system has no /proc. Node raises the soft limit to the hard one. */
export function readOpenFileLimit(path = '/proc/self/limits'): number | undefined {
  try {
    return parseOpenFileLimit(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}

/** Parses the soft limit. Undefined if it is `unlimited`. */
export function parseOpenFileLimit(limits: string): number | undefined {
  const [, soft] = /^Max open files +(\d+) /m.exec(limits) ?? []
  return soft === undefined ? undefined : Number(soft)
}
