import MiniSearch, { type AsPlainObject } from 'minisearch'
import { type SearchEntry, searchOptions } from '../../src/docs/search/search-entry.ts'
import type { WrittenPage } from './read-page.ts'

type Group = { readonly title: string; readonly pages: readonly Pick<WrittenPage, 'segment' | 'title' | 'sections'>[] }

// All texts would be half of the index. A result shows the beginning of its section, or the place of the word in it.
const storedLength = 300

/** Builds the index of all sections of the written pages. */
export function buildIndex(groups: readonly Group[]): AsPlainObject {
  const index = new MiniSearch<SearchEntry>(searchOptions)
  for (const { title: group, pages } of groups) {
    for (const { segment, title, sections } of pages) {
      for (const { id, heading, text } of sections) {
        const kind = id.startsWith('error-') ? 'Error' : group
        index.add({ kind, title, heading, text, id: `/docs/${segment}${id === '' ? '' : `#${id}`}` })
      }
    }
  }
  const made = index.toJSON()
  const storedFields = Object.entries(made.storedFields as Readonly<Record<string, SearchEntry>>).map(
    ([id, fields]) => [id, { ...fields, text: shorten(fields.text) }],
  )
  return { ...made, storedFields: Object.fromEntries(storedFields) }
}

function shorten(text: string): string {
  return text.length > storedLength ? `${text.slice(0, text.lastIndexOf(' ', storedLength))} …` : text
}
