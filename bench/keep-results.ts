import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { findFalls, formatFalls } from './find-falls.ts'
import type { Result } from './result.ts'

/**
 * Writes the results of a run over those of the run before, figure by figure. If they are compared and a ratio fell, prints
 * it and keeps the results before. Returns whether the results were written.
 */
export function keepResults(path: string, results: readonly Result[], isCompared: boolean): boolean {
  const before: readonly Result[] = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : []
  const measured = new Set(results.map(({ name }) => name))
  const again = before.filter(({ name }) => measured.has(name))
  const falls = isCompared ? findFalls([again], results) : []
  if (falls.length > 0) {
    process.stdout.write(`\n${formatFalls(falls)}\n`)
    return false
  }
  const kept = [...before.filter(({ name }) => !measured.has(name)), ...results]
  writeFileSync(path, `${JSON.stringify(kept, undefined, 2)}\n`)
  return true
}
