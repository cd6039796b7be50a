import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const text = readFileSync(new URL('../docs/glossary.md', import.meta.url), 'utf8')
const terms = [...text.matchAll(/^\| ([^|]+) \|/gm)].map(([, term = '']) => term).slice(2)

test('default: the glossary has each term once, in alphabetical order', () => {
  expect(terms.length).toBeGreaterThan(50)
  const words = terms.flatMap((term) => term.split(', '))
  expect(new Set(words).size).toBe(words.length)
  expect(terms).toEqual(terms.toSorted((a, b) => a.localeCompare(b, 'en')))
})
