import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { navigate } from '../../parts/router.ts'
import { type SearchEntry, search } from './search-index.ts'

/** Renders the search. `/` moves to it, the arrow keys choose, Enter opens and Escape closes. */
export function SearchBox({ entries }: { readonly entries: readonly SearchEntry[] }) {
  const [query, setQuery] = useState('')
  const [chosen, setChosen] = useState(0)
  const [isOpen, setIsOpen] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  const id = useId()
  useSlash(field)
  const results = isOpen ? search(entries, query) : []
  const open = (entry: SearchEntry | undefined) => {
    if (!entry) return
    setIsOpen(false)
    setQuery('')
    field.current?.blur()
    navigate(entry.href)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (event.key === 'Escape') setIsOpen(false)
    if (event.key === 'Enter') open(results[chosen])
    if (step !== undefined && results.length > 0) {
      event.preventDefault()
      setChosen((chosen + step + results.length) % results.length)
    }
  }
  const hasQuery = isOpen && query.trim() !== ''
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
        aria-expanded={hasQuery && results.length > 0}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={results[chosen] ? `${id}-${chosen}` : undefined}
        placeholder="Search the docs"
        autocomplete="off"
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
      <span class="docs-slash muted" aria-hidden="true">
        /
      </span>
      <Results id={id} results={results} chosen={chosen} onOpen={open} />
      <p class={hasQuery && results.length === 0 ? 'docs-no-results soft anywhere' : 'sr-only'} role="status">
        {hasQuery ? (results.length === 0 ? `Nothing is named “${query}”.` : `${results.length} results`) : ''}
      </p>
    </div>
  )
}

type ResultsProps = {
  readonly id: string
  readonly results: readonly SearchEntry[]
  readonly chosen: number
  readonly onOpen: (entry: SearchEntry) => void
}

function Results({ id, results, chosen, onOpen }: ResultsProps) {
  useEffect(() => document.getElementById(`${id}-${chosen}`)?.scrollIntoView({ block: 'nearest' }), [id, chosen])
  return (
    <div id={`${id}-list`} class="docs-results" role="listbox" aria-label="Results" hidden={results.length === 0}>
      {results.map((entry, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys of its list.
        <div
          key={`${entry.kind} ${entry.href} ${entry.title}`}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === chosen}
          tabIndex={-1}
          // Before the field loses its focus, which would close the list.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onOpen(entry)}
        >
          <span class="sub docs-result-kind">{entry.kind}</span>
          <span class="bold anywhere">{entry.title}</span>
          <span class="docs-result-text soft nowrap">{entry.text}</span>
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
