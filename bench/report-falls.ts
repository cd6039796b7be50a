import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findFalls, formatFalls } from './find-falls.ts'
import type { Result } from './result.ts'

/**
 * Returns the ratios that fell since earlier runs as Markdown. The folder has their `results.json`, with names in the order
 * of the runs. Without earlier results the text is empty.
 */
export function reportFalls(folder: string, after: string): string {
  const names = existsSync(folder) ? readdirSync(folder).sort() : []
  const earlier = names.map((name) => readResults(join(folder, name)))
  return formatFalls(findFalls(earlier, readResults(after)))
}

function readResults(path: string): readonly Result[] {
  return JSON.parse(readFileSync(path, 'utf8'))
}
