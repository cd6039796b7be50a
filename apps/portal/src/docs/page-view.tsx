import { Button, Loading, Notice } from '@tallystick/ui'
import { ErrorNotice } from '../parts/error-notice.tsx'
import { hrefOf } from '../parts/place.ts'
import type { DocsPage, PageGroup } from './docs-pages.ts'
import type { Loaded } from './load-content.ts'
import { listEndpoints } from './openapi/openapi.ts'
import { Parts } from './parts.tsx'
import { useDocs } from './requests/docs-context.ts'
import { Heading } from './text/elements.tsx'
import { Html } from './text/html.tsx'
import { slug } from './text/slug.ts'

type PageViewProps = {
  readonly groups: readonly PageGroup[]
  readonly page: DocsPage | undefined
  readonly content: Loaded
  readonly isLoading: boolean
  /** Why the reference could not be loaded. */
  readonly problem: unknown
}

/** Renders a page of the documentation. */
export function PageView({ groups, page, content, isLoading, problem }: PageViewProps) {
  return (
    <div class="docs-page shrink">
      <h1 id="docs-heading" tabIndex={-1}>
        {page?.title ?? (isLoading ? 'Documentation' : 'There is no such page')}
      </h1>
      {page && page.summary !== '' ? <Html tag="p" class="docs-lead soft" html={page.summary} /> : null}
      {problem === undefined ? null : (
        <ErrorNotice error={problem} hint="The guides work without it. Reload the page to see the reference." />
      )}
      {page ? (
        <>
          <Content page={page} content={content} groups={groups} />
          {content.value ? <Neighbours groups={groups} page={page} /> : null}
        </>
      ) : isLoading ? (
        <Loading text="Loading the reference…" height="16rem" />
      ) : (
        <Notice tone="calm" title="The link is old or mistyped">
          Search for what you need, or begin at the <a href="/docs">first page</a>.
        </Notice>
      )}
    </div>
  )
}

type ContentProps = Pick<PageViewProps, 'groups' | 'content'> & { readonly page: DocsPage }

function Content({ page, content: { value, error }, groups }: ContentProps) {
  const { document } = useDocs()
  if (error !== undefined) {
    return (
      <Notice tone="bad" title="The page could not be loaded" text="Check your connection and reload the page.">
        {' '}
        <Button class="bare docs-link" label="Reload" onClick={() => location.reload()} />
      </Notice>
    )
  }
  if (value?.kind === 'start') return <Start groups={groups} />
  if (value?.kind === 'written') return <Parts key={page.segment} parts={value.parts} label={page.title} />
  if (value && document) return <value.Reference document={document} tag={value.tag} />
  return <Loading text="Loading the page…" height="40rem" />
}

/** Renders the first page: the groups of pages, and the endpoints. */
function Start({ groups }: { readonly groups: readonly PageGroup[] }) {
  const { document, sampleContext, enterKey } = useDocs()
  return (
    <>
      <p class="row docs-base">
        <span class="muted">Base URL</span> <code>{sampleContext.baseUrl}</code>
        {sampleContext.apiKey === undefined ? (
          <Button class="bare docs-link" label="Enter your key" onClick={enterKey} />
        ) : (
          <span class="pill tone-good">Your key is in the examples</span>
        )}
      </p>
      {groups
        .filter(({ title }) => title !== 'Reference')
        .map(({ title, pages }) => (
          <Cards key={title} title={title} pages={pages.filter(({ segment }) => segment !== undefined)} />
        ))}
      {document ? (
        <>
          <Heading level={2} id="endpoints">
            Endpoints
          </Heading>
          <ul class="docs-endpoints">
            {listEndpoints(document).map(({ method, path, operation }) => (
              <li key={operation.operationId} class="flex wrap apart">
                <a href={`/docs/${slug(operation.tags[0] ?? '')}#${operation.operationId}`}>
                  <span class="docs-method">{method}</span> <code>{path}</code>
                </a>
                <span class="muted">{operation.summary}</span>
              </li>
            ))}
          </ul>
          <p>
            The machine-readable reference is <a href="/openapi.json">openapi.json</a> (OpenAPI {document.openapi},
            version {document.info.version}).
          </p>
        </>
      ) : null}
    </>
  )
}

/** Renders the pages of a group. */
function Cards({ title, pages }: PageGroup) {
  return (
    <>
      <Heading level={2} id={title.toLowerCase()}>
        {title}
      </Heading>
      <ul class="docs-cards grid">
        {pages.map((page) => (
          <li key={page.segment}>
            <a class="card grid soft" href={hrefOf('docs', page.segment)}>
              <strong>{page.name ?? page.title}</strong>
              {title === 'Operate' ? null : <Html tag="span" html={shorten(page.summary)} />}
            </a>
          </li>
        ))}
      </ul>
    </>
  )
}

/** Returns the first sentence of a summary, without links. */
function shorten(summary: string): string {
  return summary.replaceAll(/<\/?a\b[^>]*>/g, '').replace(/\.\s.*$/s, '.')
}

/** Renders links to the pages before and after this one. */
function Neighbours({ groups, page }: { readonly groups: readonly PageGroup[]; readonly page: DocsPage }) {
  const pages = groups.flatMap((group) => group.pages)
  const index = pages.indexOf(page)
  const [previous, next] = [pages[index - 1], pages[index + 1]]
  return (
    <nav class="spread docs-neighbours wrap ruled-top" aria-label="Neighbouring pages">
      {previous ? (
        <a href={hrefOf('docs', previous.segment)}>
          <span class="muted">Previous</span> {previous.name ?? previous.title}
        </a>
      ) : null}
      {next ? (
        <a class="end" href={hrefOf('docs', next.segment)}>
          <span class="muted">Next</span> {next.name ?? next.title}
        </a>
      ) : null}
    </nav>
  )
}
