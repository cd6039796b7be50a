import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'esbuild'
import { buildIndex } from './build-index.ts'
import { pageSources } from './page-sources.ts'
import { readPage } from './read-page.ts'

/** Creates the esbuild plugin that makes the modules `docs:pages`, `docs:page/<segment>` and `docs:search-index` from the Markdown files. */
export function createDocsPlugin(root: string): Plugin {
  return {
    name: 'docs',
    setup({ onResolve, onLoad }) {
      const read = (file: string) => readFileSync(join(root, file), 'utf8')
      const groups = Object.entries(pageSources).map(([title, sources]) => ({
        title,
        pages: sources.map((source) => readPage({ read }, source)),
      }))
      const pages = new Map(groups.flatMap((group) => group.pages).map((page) => [page.segment, page]))
      const listed = groups.map(
        ({ title, pages: of }) =>
          `{ title: ${JSON.stringify(title)}, pages: [${of
            .map(({ parts, sections, ...page }) => {
              const fields = JSON.stringify(page).slice(0, -1)
              return `${fields}, "load": () => import(${JSON.stringify(`docs:page/${page.segment}`)}) }`
            })
            .join(',\n')}] }`,
      )
      onResolve({ filter: /^docs:/ }, ({ path }) => ({ path: path.slice('docs:'.length), namespace: 'docs' }))
      onLoad({ filter: /.*/, namespace: 'docs' }, ({ path }) => {
        if (path === 'pages') return { contents: `export const groups = [${listed.join(',\n')}]` }
        if (path === 'search-index') return { contents: JSON.stringify(buildIndex(groups)), loader: 'json' }
        return { contents: `export const parts = ${JSON.stringify(pages.get(path.slice('page/'.length))?.parts)}` }
      })
    },
  }
}
