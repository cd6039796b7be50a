import { readFileSync } from 'node:fs'

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
