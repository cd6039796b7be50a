import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { parseMarkdown } from '../apps/portal/src/docs/text/parse-markdown.ts'
import { parseGuide, readErrorGuide } from '../apps/portal/src/docs/text/read-guide.ts'

// The guides of `/docs`. `apps/portal/test/docs.test.ts` runs their examples, and `guides.test.ts` compiles them.

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = join(root, 'apps/portal/src/docs/guides')
const values = { chainId: 324, wallet: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8' }
const guides = readdirSync(folder).map((name) => {
  const markdown = readFileSync(join(folder, name), 'utf8')
  return { name: name.replace('.md', ''), markdown, blocks: parseGuide({ markdown }, values) }
})

test('default: the page has all guides', () => {
  const source = readFileSync(join(root, 'apps/portal/src/docs/guides.ts'), 'utf8')
  const listed = [...source.matchAll(/readGuide\('([\w-]+)', /g)].map(([, name]) => name)
  expect(listed).toEqual(['first-note', 'lend', 'verify', 'positions', 'webhooks', 'going-live'])
  expect(listed.toSorted()).toEqual(guides.map(({ name }) => name))
})

test('behavior: docs/errors.md has an explanation of each code, as the page shows it', () => {
  const guide = readErrorGuide(readFileSync(join(root, 'docs/errors.md'), 'utf8'))
  expect(guide.size).toBeGreaterThan(30)
  for (const items of guide.values()) {
    expect(items).toEqual([
      expect.stringMatching(/^Status: /),
      expect.stringMatching(/^When: /),
      expect.stringMatching(/^Do: /),
    ])
  }
})

test('behavior: every guide has examples and says what comes next', () => {
  for (const { blocks } of guides) {
    expect(blocks.some(({ kind }) => kind === 'samples')).toBe(true)
    expect(blocks.at(-1)).toEqual({ kind: 'paragraph', text: expect.stringMatching(/^\*\*Next:\*\* .*\]\(\/docs\//) })
  }
})

test('behavior: headings of a guide are unique, so that each has its own link', () => {
  for (const { markdown } of guides) {
    const ids = parseMarkdown(markdown).flatMap((block) => (block.kind === 'heading' ? [block.id] : []))
    expect(new Set(ids).size).toBe(ids.length)
  }
})
