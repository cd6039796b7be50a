import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { buildIndex } from '../apps/portal/scripts/docs/build-index.ts'
import { pageSources } from '../apps/portal/scripts/docs/page-sources.ts'
import { readPage } from '../apps/portal/scripts/docs/read-page.ts'
import { createSearch } from '../apps/portal/src/docs/search/search-docs.ts'
import { slug } from '../apps/portal/src/docs/text/slug.ts'
import { buildDocument } from '../packages/service/src/openapi/build-document.ts'
import { documentedRoutes } from '../packages/service/test/documented-routes.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const groups = Object.entries(pageSources).map(([title, sources]) => ({
  title,
  pages: sources.map((source) => readPage({ read }, source)),
}))
const pages = groups.flatMap((group) => group.pages)
const document = buildDocument({ chainIds: [324], dataChainIds: [324], subgraphChainIds: [324] }, documentedRoutes)
// As the browser gets it: through JSON.
const index = JSON.parse(JSON.stringify(buildIndex(groups)))

describe('the pages', () => {
  const htmlOf = ({ summary, parts }: (typeof pages)[number]) =>
    summary + parts.map((part) => (part.kind === 'html' ? part.html : '')).join('')
  const idsOf = (html: string) => [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id as string)

  test('default: the site has every guide and every page for operators, each once', () => {
    const files: readonly string[] = Object.values(pageSources).flatMap((of) => of.map(({ file }) => file))
    const list = (folder: string) =>
      readdirSync(join(root, folder)).flatMap((name) => (name.endsWith('.md') ? [`${folder}/${name}`] : []))
    expect(files).toEqual(expect.arrayContaining([...list('docs/operating'), ...list('apps/portal/src/docs/guides')]))
    // Those that are not on it are for developers of Tallystick.
    const missing = list('docs').filter((file) => !files.includes(file))
    expect(missing).toEqual(
      ['architecture', 'glossary', 'performance', 'README'].map((name) => `docs/${name}.md`).sort(byName),
    )
    expect(new Set(pages.map(({ segment }) => segment)).size).toBe(files.length)
    for (const { segment } of pages) expect(segment).toMatch(/^[a-z][a-z0-9-]{0,40}$/)
  })

  test('behavior: no link leads to a page or a heading that does not exist, and no id is there twice', () => {
    const tags = document.tags.map(({ name }) => name.toLowerCase())
    const operations = Object.values(document.paths).flatMap((of) =>
      Object.values(of).map(({ operationId }) => operationId),
    )
    const places = new Map(pages.map((page) => [`/docs/${page.segment}`, idsOf(htmlOf(page))]))
    const basics = [...document.info.description.matchAll(/^## (.+)$/gm)].map(([, title = '']) => slug(title))
    for (const name of tags) places.set(`/docs/${name}`, operations)
    places.set('/docs/basics', basics).set('/docs', [])
    const broken = pages.flatMap((page) => {
      const links = [...htmlOf(page).matchAll(/<a href="([^"]+)"/g)].map(([, href = '']) => href)
      return links
        .filter((href) => isBroken(href, { places, segment: page.segment }))
        .map((href) => `${page.segment}: ${href}`)
    })
    expect(broken).toEqual([])
    for (const [place, ids] of places) expect([place, new Set(ids).size]).toEqual([place, ids.length])
  })

  test('behavior: a file that is not on the site is named, and a decision is not linked', () => {
    const html = pages.map(htmlOf).join('')
    expect(html).toContain('<code>deploy/prometheus/alerts.yml</code>')
    expect(html).toMatch(/\(decision 35\)|decision 35/)
    expect(html).not.toMatch(/href="[^"]*\.(md|yml|ts)\b/)
    expect(html).not.toMatch(/<(script|style|img|iframe)|\bstyle=|\bon[a-z]+=/)
  })

  test('behavior: a program of examples/ is on its page as it is in the repository', () => {
    const sources = pages.flatMap(({ parts }) => parts.flatMap((part) => (part.kind === 'samples' ? part.samples : [])))
    for (const file of [
      'ci.sh',
      'python/verify-note.py',
      'python/receive-webhooks.py',
      'go/verify-note/main.go',
      'go/receive-webhooks/main.go',
    ]) {
      const text = readFileSync(join(root, 'examples', file), 'utf8').trimEnd()
      expect(sources.some(({ source }) => source === text)).toBe(true)
    }
  })

  test.each([
    ['a <b>c</b>', 'x.md contains HTML'],
    ['| a |\n| --- |\n| <i> |', 'x.md contains HTML'],
    ['- a\n  - <script>alert(1)</script>', 'x.md contains HTML'],
    ['> <!-- a -->', 'x.md contains HTML'],
  ])('error: %j stops the build', (markdown, message) => {
    const read = () => `# T\n\n${markdown}\n`
    expect(() => readPage({ read }, { segment: 'x', file: 'x.md' })).toThrow(message)
    expect(() => readPage({ read: () => markdown }, { segment: 'x', file: 'x.md' })).toThrow()
  })
})

function byName(a: string, b: string): number {
  return a < b ? -1 : 1
}

type Site = { readonly places: ReadonlyMap<string, readonly string[]>; readonly segment: string }

function isBroken(href: string, { places, segment }: Site): boolean {
  if (/^(https:|mailto:)/.test(href)) return false
  const [path = '', id] = href.split('#')
  const ids = places.get(path === '' ? `/docs/${segment}` : path)
  if (!path.startsWith('/docs') && path !== '')
    return !/^\/(|lend|history|wallet|verify|explorer|openapi\.json)$/.test(path)
  return ids === undefined || (id !== undefined && !ids.includes(id))
}

describe('the search', () => {
  const search = createSearch(index, document)
  const pagesOf = (query: string) => search(query).map(({ href }) => href.split('#')[0])

  test.each([
    // Questions of the issue.
    ['python', '/docs/verify-python'],
    ['kubernetes', '/docs/deploying'],
    ['rotate', '/docs/signer-rotation'],
    ['rate limit', '/docs/basics'],
    ['testnet', '/docs/testnet'],
    ['upgrade', '/docs/upgrading'],
    // An integrator, a lender, a treasurer and an operator.
    ['webhook signature', '/docs/webhooks'],
    ['claim early', '/docs/income'],
    ['18:00', '/docs/boundary'],
    ['golang', '/docs/verify-go'],
    ['backup', '/docs/database'],
    ['expired note', '/docs/first-note'],
    ['how do I restore the database?', '/docs/database'],
    ['rotate api key', '/docs/api-keys'],
    ['rate_limited', '/docs/errors'],
    ['GET /notes', '/docs/notes'],
    ['codegen', '/docs/sdk'],
    ['prometheus', '/docs/alerts'],
    ['safe', '/docs/safe'],
    ['visitors', '/docs/visitors'],
  ])('default: %s is answered by %s, within the first three results', (query, path) => {
    expect(pagesOf(query).slice(0, 3)).toContain(path)
  })

  test('behavior: beginnings and misspelt words are found, and a result leads to its heading', () => {
    expect(pagesOf('kubern')).toContain('/docs/deploying')
    expect(pagesOf('kubernets')).toContain('/docs/deploying')
    expect(search('claim after the report')[0]?.href).toBe('/docs/income#the-rule-claim-after-the-report')
    expect(search('coupon').map(({ kind }) => kind)).toContain('Field')
  })

  test('behavior: a snippet has the words that were found, marked, and is short', () => {
    const [hit] = search('sign-ahead')
    expect(hit?.snippet.some(({ isFound }) => isFound)).toBe(true)
    for (const { snippet } of search('note')) {
      expect(snippet.map(({ text }) => text).join('').length).toBeLessThan(200)
    }
  })

  test('behavior: without one word of the question the others are searched', () => {
    expect(pagesOf('zebra kubernetes')).toContain('/docs/deploying')
    expect(pagesOf('zebra')).toEqual([])
  })

  test('error: hostile and endless questions', () => {
    for (const query of [
      '',
      '   ',
      '.*[(\\',
      '<script>',
      'a '.repeat(10_000),
      `${'x'.repeat(100_000)}`,
      '__proto__ constructor',
    ]) {
      expect(search(query).length).toBeLessThanOrEqual(12)
    }
  })

  test('behavior: without the document of the service the written pages are found', () => {
    expect(createSearch(index, undefined)('kubernetes')[0]?.kind).toBe('Operate')
  })
})
