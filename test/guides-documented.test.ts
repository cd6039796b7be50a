import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { readPage } from '../apps/portal/scripts/docs/read-page.ts'

// The guides of `/docs`. `apps/portal/test/docs.test.ts` runs their examples, and `guides.test.ts` compiles them.

const root = fileURLToPath(new URL('..', import.meta.url))
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const folder = 'apps/portal/src/docs/guides'
const guides = readdirSync(join(root, folder)).map((name) =>
  readPage({ read }, { segment: name.replace('.md', ''), file: `${folder}/${name}` }),
)

test('behavior: docs/errors.md has an explanation of each code, as the page shows it', () => {
  const sections = read('docs/errors.md').split(/^## /m).slice(1)
  expect(sections.length).toBeGreaterThan(30)
  for (const section of sections) {
    expect(section).toMatch(/^`\w+`\n\n- Status: .+\n- When: .+\n- Do: .+\n*$/)
  }
})

test('behavior: every guide has a summary and examples, and says what comes next', () => {
  for (const { segment, summary, parts } of guides) {
    expect([segment, summary]).toEqual([segment, expect.stringMatching(/^\S.*\.$/)])
    expect([segment, parts.some(({ kind }) => kind === 'samples')]).toEqual([segment, true])
    const next = /<p><strong>Next:<\/strong> .*<a href="\/docs\/.*<\/p>\n$/
    expect(parts.at(-1)).toEqual({ kind: 'html', html: expect.stringMatching(next) })
  }
})
