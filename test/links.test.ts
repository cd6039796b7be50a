import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const files = findMarkdown(root)

/** Returns every Markdown file of the repository. */
function findMarkdown(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) return /^(\.|node_modules$|dist$|build$)/.test(entry.name) ? [] : findMarkdown(path)
    return entry.name.endsWith('.md') ? [path] : []
  })
}

/** Returns the anchors of a file's headings, as GitHub makes them. */
function listAnchors(markdown: string): string[] {
  return [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  )
}

function listLinks(markdown: string): string[] {
  const prose = markdown.replaceAll(/^```[\s\S]*?^```$/gm, '')
  const links = [...prose.matchAll(/\]\(([^)\s]+)\)|<img src="([^"]+)"/g)].map(([, link, image]) => link ?? image ?? '')
  // A link such as `/docs/lend` leads to the page. `apps/portal/test/docs.test.ts` follows them.
  return links.filter((link) => !/^([a-z]+:|\/)/.test(link))
}

test('default: the documents are found', () => {
  expect(files.map((file) => relative(root, file))).toEqual(
    expect.arrayContaining(['README.md', 'docs/operating.md', 'packages/client/README.md', 'examples/curl.md']),
  )
})

test('behavior: every link leads to a file or a heading that exists', () => {
  const broken = files.flatMap((file) =>
    listLinks(readFileSync(file, 'utf8'))
      .filter((link) => isBroken(file, link))
      .map((link) => `${relative(root, file)}: ${link}`),
  )
  expect(broken).toEqual([])
})

test('behavior: the index of the documentation has every page', () => {
  const index = listLinks(readFileSync(join(root, 'docs/README.md'), 'utf8'))
  const pages = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md') && name !== 'README.md')
  expect(index).toEqual(expect.arrayContaining(pages))
})

function isBroken(file: string, link: string): boolean {
  const [path = '', anchor] = link.split('#')
  const target = path === '' ? file : join(dirname(file), path)
  if (!existsSync(target)) return true
  return anchor !== undefined && !listAnchors(readFileSync(target, 'utf8')).includes(anchor)
}
