import { existsSync, readFileSync } from 'node:fs'
import { findFalls, formatFalls } from './find-falls.ts'
import type { Result } from './result.ts'

/** Returns the ratios that fell between two `results.json` as Markdown. Without earlier results the text is empty. */
export function reportFalls(before: string, after: string): string {
  const results = readResults(after)
  return existsSync(before) ? formatFalls(findFalls(readResults(before), results)) : ''
}

function readResults(path: string): readonly Result[] {
  return JSON.parse(readFileSync(path, 'utf8'))
}
