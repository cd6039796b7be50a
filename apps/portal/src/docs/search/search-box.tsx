import type { OpenapiDocument } from '@tallystick/core'
import { useLoaded, useMedia } from '@tallystick/ui'
import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks'
import { navigate } from '../../parts/router.ts'
import type { Hit } from './search-docs.ts'

/** Renders the search. `/` moves to it, the arrow keys choose, Enter opens and Escape closes. */
export function SearchBox({ document }: { readonly document: OpenapiDocument | undefined }) {
  const [query, setQuery] = useState('')
  const [chosen, setChosen] = useState(0)
  const [isOpen, setIsOpen] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  const id = useId()
  useSlash(field)
  const hasKeys = useMedia('(hover: hover)')
  const hasQuery = isOpen && query.trim() !== ''
  const { hits, state } = useHits(document, { query: hasQuery ? query : '', isOpen })
  const open = (hit: Hit | undefined) => {
    if (!hit) return
    setIsOpen(false)
    setQuery('')
    field.current?.blur()
    navigate(hit.href)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (event.key === 'Escape') setIsOpen(false)
    if (event.key === 'Enter') open(hits[chosen])
    if (step !== undefined && hits.length > 0) {
      event.preventDefault()
      setChosen((chosen + step + hits.length) % hits.length)
    }
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: `search` is a landmark of its own, older browsers lack its element.
    <div class="docs-search" role="search">
      <label class="sr-only" for={`${id}-field`}>
        Search the documentation
      </label>
      <input
        id={`${id}-field`}
        ref={field}
        type="text"
        role="combobox"
        aria-expanded={hits.length > 0}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={hits[chosen] ? `${id}-${chosen}` : undefined}
        aria-keyshortcuts={hasKeys ? '/' : undefined}
        placeholder="Search the docs"
        autocomplete="off"
        enterkeyhint="search"
        spellcheck={false}
        value={query}
        onInput={(event) => {
          setQuery(event.currentTarget.value)
          setChosen(0)
          setIsOpen(true)
        }}
        onFocus={() => setIsOpen(true)}
        onBlur={() => setIsOpen(false)}
        onKeyDown={onKeyDown}
      />
      {hasKeys ? (
        <span class="docs-slash muted" aria-hidden="true">
          /
        </span>
      ) : null}
      <Hits id={id} hits={hits} chosen={chosen} onOpen={open} />
      <p class={hasQuery && hits.length === 0 ? 'docs-no-results soft anywhere' : 'sr-only'} role="status">
        {hasQuery ? describe({ state, query, count: hits.length }) : ''}
      </p>
    </div>
  )
}

type Wanted = { readonly query: string; readonly isOpen: boolean }

/** Searches the documentation. The search is loaded when the field is first used. */
function useHits(document: OpenapiDocument | undefined, { query, isOpen }: Wanted) {
  const { value: loaded, error } = useLoaded(isOpen, loadSearch)
  const search = useMemo(() => loaded?.(document), [loaded, document])
  const hits = useMemo(() => (query === '' ? [] : (search?.(query) ?? [])), [search, query])
  return { hits, state: search ? 'ready' : error === undefined ? 'loading' : 'failed' } as const
}

/** Loads the engine and the index. Nobody pays for them before the first search. */
async function loadSearch() {
  const [{ createSearch }, { default: index }] = await Promise.all([
    import('./search-docs.ts'),
    import('docs:search-index'),
  ])
  return (document: OpenapiDocument | undefined) => createSearch(index, document)
}

type SearchState = {
  readonly state: 'loading' | 'ready' | 'failed'
  readonly query: string
  readonly count: number
}

function describe({ state, query, count }: SearchState): string {
  if (state === 'loading') return 'Loading the search…'
  if (state === 'failed') return 'The search could not be loaded. Check your connection and try again.'
  if (count === 0) return `Nothing was found for “${query.trim()}”. Try another word, or look through the contents.`
  return count === 1 ? '1 result' : `${count} results`
}

type HitsProps = {
  readonly id: string
  readonly hits: readonly Hit[]
  readonly chosen: number
  readonly onOpen: (hit: Hit) => void
}

function Hits({ id, hits, chosen, onOpen }: HitsProps) {
  useEffect(() => document.getElementById(`${id}-${chosen}`)?.scrollIntoView({ block: 'nearest' }), [id, chosen])
  return (
    <div id={`${id}-list`} class="docs-results" role="listbox" aria-label="Results" hidden={hits.length === 0}>
      {hits.map((hit, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys of its list.
        <div
          key={`${hit.href} ${hit.heading}`}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === chosen}
          tabIndex={-1}
          // Before the field loses its focus, which would close the list.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onOpen(hit)}
        >
          <span class="sub docs-result-kind">{hit.kind}</span>
          <span class="anywhere">
            <span class="bold">{hit.heading}</span>
            {hit.heading === hit.title ? null : <span class="muted"> {hit.title}</span>}
          </span>
          <span class="docs-result-text soft">
            {hit.snippet.map(({ text, isFound }, part) => (isFound ? <mark key={part}>{text}</mark> : text))}
          </span>
        </div>
      ))}
    </div>
  )
}

/** Moves the focus to a field when `/` is pressed outside of fields. */
function useSlash(field: { readonly current: HTMLInputElement | null }): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement
      const isTyping = target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)
      if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
      event.preventDefault()
      field.current?.focus()
      field.current?.select()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [field])
}
