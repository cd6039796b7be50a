import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

// The compiler keeps Node and the DOM out of these packages: their tsconfig has no such types. It cannot keep out the clock
// and the randomness of the language itself.
test.each(['core', 'tlog'])('behavior: %s reads no clock, uses no randomness and creates no Date', (name) => {
  const folder = new URL(`../packages/${name}/src/`, import.meta.url)
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.ts') && !path.endsWith('.test.ts'),
  )
  expect(sources.length).toBeGreaterThan(5)
  for (const path of sources) {
    const code = readFileSync(new URL(path, folder), 'utf8').replace(/\/\*\*[\s\S]*?\*\//g, '')
    expect(code, path).not.toMatch(/\bDate\b|Math\.random|Temporal\.Now|performance\.now/)
  }
})
