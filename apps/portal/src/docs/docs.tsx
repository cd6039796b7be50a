import { groups as written } from 'docs:pages'
import { useLoaded } from '@tallystick/ui'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { PageState } from '../data/page-state.ts'
import { loadFromService, useRecoveries } from '../reach/page-reachability.ts'
import { type DocsPage, findPage, listPages } from './docs-pages.ts'
import { type Loaded, loadContent } from './load-content.ts'
import { Navigation } from './navigation.tsx'
import { fetchDocument } from './openapi/openapi.ts'
import { PageView } from './page-view.tsx'
import { DocsContext, type DocsState } from './requests/docs-context.ts'
import { SearchBox } from './search/search-box.tsx'

export type DocsProps = Pick<PageState, 'info' | 'session'> & {
  /** Page of the documentation in the URL. Undefined for the first one. */
  readonly segment: string | undefined
  readonly isOpen: boolean
  readonly enterKey: () => void
}

// The wallet of the examples where a visitor has none.
const exampleWallet = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'

/** Renders the documentation of this service. */
export function Docs({ info, session, segment, isOpen, enterKey }: DocsProps) {
  const { value: document, error: problem } = useLoaded(true, fetchDocument)
  const groups = useMemo(() => listPages(written, document), [document])
  const page = findPage(groups, segment)
  const content = useContent(page)
  const [language, chooseLanguage] = useState('sh')
  const [isKeyShown, showKey] = useState(false)
  const state: DocsState = {
    document,
    chainId: info.chains[0]?.id ?? 324,
    wallet: info.visitor?.wallets[0] ?? exampleWallet,
    sampleContext: { baseUrl: location.origin, apiKey: session?.apiKey, caCert: info.visitor?.caCert },
    language,
    chooseLanguage,
    isKeyShown,
    showKey,
    enterKey,
  }
  usePlace({ page, isOpen, isLoaded: content.value !== undefined })
  return (
    <DocsContext.Provider value={state}>
      <div class="docs grid">
        <div class="docs-side grid">
          <SearchBox document={document} />
          <Navigation groups={groups} page={page} />
        </div>
        <PageView
          groups={groups}
          page={page}
          content={content}
          isLoading={!document && problem === undefined}
          problem={problem}
        />
      </div>
    </DocsContext.Provider>
  )
}

/** Loads the content of a page when it is opened. */
function useContent(page: DocsPage | undefined): Loaded {
  const [loaded, setLoaded] = useState<Loaded & { readonly page?: DocsPage | undefined }>({})
  const recoveries = useRecoveries()
  useEffect(() => {
    if (!page) return undefined
    const controller = new AbortController()
    const { signal } = controller
    const set = (result: Loaded) => signal.aborted || setLoaded({ page, ...result })
    loadFromService(() => loadContent(page), signal).then(
      (value) => set({ value }),
      (error: unknown) => set({ error }),
    )
    return () => controller.abort()
  }, [page, recoveries])
  return loaded.page?.segment === page?.segment ? loaded : {}
}

type PlaceProps = { readonly page: DocsPage | undefined; readonly isOpen: boolean; readonly isLoaded: boolean }

/** Goes to the place that the URL names: a heading of the page, or its top. */
function usePlace({ page, isOpen, isLoaded }: PlaceProps): void {
  const shown = useRef<string | undefined>(undefined)
  const key = page && `${page.segment}`
  useLayoutEffect(() => {
    if (!isOpen || key === undefined || !isLoaded) return undefined
    const isFirst = shown.current === undefined
    const isNew = shown.current !== key
    shown.current = key
    const goToHash = () => document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView()
    if (location.hash !== '') goToHash()
    else if (isNew && !isFirst) {
      window.scrollTo(0, 0)
      document.getElementById('docs-heading')?.focus({ preventScroll: true })
    }
    addEventListener('hashchange', goToHash)
    return () => removeEventListener('hashchange', goToHash)
  }, [key, isOpen, isLoaded])
}
