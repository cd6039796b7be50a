import { readFileSync } from 'node:fs'

/** Returns how many files this process may have open, or undefined where the system does not tell. Node raises the soft limit to the hard one. */
export function readOpenFileLimit(path = '/proc/self/limits'): number | undefined {
  try {
    return parseOpenFileLimit(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}

/** Reads the soft limit. `unlimited` is as good as none. */
export function parseOpenFileLimit(limits: string): number | undefined {
  const [, soft] = /^Max open files +(\d+) /m.exec(limits) ?? []
  return soft === undefined ? undefined : Number(soft)
}
