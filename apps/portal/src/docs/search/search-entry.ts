import type { Options } from 'minisearch'

/** Place that the search finds: a section of a page, an endpoint, a field or an error code. */
export type SearchEntry = {
  /** Group of the page, or kind of the part of an endpoint. */
  readonly kind: string
  /** Title of the page. */
  readonly title: string
  readonly heading: string
  readonly text: string
  /** URL of the place. Two entries of one place have different texts behind a space. */
  readonly id: string
}

const stopWords = new Set(
  'a an and are as at be by can do does for from how i if in is it my of on or that the there to use was what when where which with you your'.split(
    ' ',
  ),
)

/** What the build and the page must agree on. */
export const searchOptions: Options<SearchEntry> = {
  fields: ['title', 'heading', 'text'],
  storeFields: ['kind', 'title', 'heading', 'text'],
  processTerm(term) {
    const word = term.toLowerCase()
    return stopWords.has(word) || /^\p{L}$/u.test(word) ? null : word
  },
}
