/** The build makes these modules from Markdown (`apps/portal/scripts/docs`). */
declare module 'docs:pages' {
  import type { Part } from './text/part.ts'

  type WrittenPage = {
    readonly segment: string
    readonly title: string
    readonly name?: string
    /** HTML. */
    readonly summary: string
    readonly headings: readonly { readonly id: string; readonly title: string }[]
    readonly load: () => Promise<{ readonly parts: readonly Part[] }>
  }

  export const groups: readonly { readonly title: string; readonly pages: readonly WrittenPage[] }[]
}

declare module 'docs:search-index' {
  import type { AsPlainObject } from 'minisearch'

  const index: AsPlainObject
  export default index
}
