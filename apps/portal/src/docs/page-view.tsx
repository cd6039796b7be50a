import type { OpenapiDocument } from '@tallystick/core'
import { Button, Loading, Notice } from '@tallystick/ui'
import { ErrorNotice } from '../parts/error-notice.tsx'
import { hrefOf } from '../parts/place.ts'
import type { DocsPage, PageGroup } from './docs-pages.ts'
import { errorsMarkdown } from './guides.ts'
import { Markdown } from './markdown.tsx'
import { listAllFailures, listEndpoints, listTagEndpoints } from './openapi/openapi.ts'
import { OperationView } from './operation.tsx'
import { useDocs } from './requests/docs-context.ts'
import { Code, Heading, Inline, Paragraph } from './text/elements.tsx'
import { parseMarkdown, slug } from './text/parse-markdown.ts'
import { parseGuide, readErrorGuide } from './text/read-guide.ts'

type PageViewProps = {
  readonly groups: readonly PageGroup[]
  readonly page: DocsPage | undefined
  readonly isLoading: boolean
  /** Why the reference could not be loaded. */
  readonly problem: unknown
}

/** Renders a page of the documentation. */
export function PageView({ groups, page, isLoading, problem }: PageViewProps) {
  return (
    <div class="docs-page shrink">
      <h1 id="docs-heading" tabIndex={-1}>
        {page?.title ?? (isLoading ? 'Documentation' : 'There is no such page')}
      </h1>
      {page ? <Paragraph class="docs-lead soft" text={page.summary} /> : null}
      {problem === undefined ? null : (
        <ErrorNotice error={problem} hint="The guides work without it. Reload the page to see the reference." />
      )}
      {page ? (
        <>
          <Content page={page} groups={groups} />
          <Neighbours groups={groups} page={page} />
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

function Content({ page, groups }: { readonly page: DocsPage; readonly groups: readonly PageGroup[] }) {
  const { document, chainId, wallet } = useDocs()
  const { content } = page
  if (content.kind === 'start') return <Start groups={groups} />
  if (content.kind === 'guide') {
    return <Markdown key={page.segment} blocks={parseGuide(content.guide, { chainId, wallet })} label={page.title} />
  }
  if (!document) return null
  if (content.kind === 'errors') return <ErrorsPage document={document} />
  if (content.kind === 'basics') return <Markdown blocks={parseMarkdown(document.info.description)} label="Basics" />
  return (
    <>
      {listTagEndpoints(document, content.tag).map((endpoint) => (
        <OperationView key={endpoint.operation.operationId} document={document} endpoint={endpoint} />
      ))}
    </>
  )
}

/** Renders the first page: the guides as cards, and the endpoints. */
function Start({ groups }: { readonly groups: readonly PageGroup[] }) {
  const { document, sampleContext, enterKey } = useDocs()
  const guides = groups[0]?.pages.filter(({ content }) => content.kind === 'guide') ?? []
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
      <Heading level={2} id="guides">
        Guides
      </Heading>
      <ul class="docs-cards grid">
        {guides.map((page, index) => (
          <li key={page.segment}>
            <a class="card grid soft" href={hrefOf('docs', page.segment)}>
              <span class="docs-card-number" aria-hidden="true">
                {index + 1}
              </span>
              <strong>{page.title}</strong>
              <span>
                <Inline text={page.summary} />
              </span>
            </a>
          </li>
        ))}
      </ul>
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
          <span class="muted">Next</span> {next.title}
        </a>
      ) : null}
    </nav>
  )
}

const guide = readErrorGuide(errorsMarkdown)

/** Renders each error code of the API once, with what to do and an example. */
function ErrorsPage({ document }: { readonly document: OpenapiDocument }) {
  return (
    <>
      {listAllFailures(document).map(({ code, status, meaning, example }) => (
        <section key={code} aria-labelledby={`error-${code}`}>
          <Heading level={2} id={`error-${code}`}>
            <code>{code}</code>
          </Heading>
          <Paragraph text={meaning} />
          <ul class="docs-list">
            {(guide.get(code) ?? [`Status: ${status}.`]).map((line) => (
              <li key={line}>
                <Inline text={linkCodes(line)} />
              </li>
            ))}
          </ul>
          <details class="docs-fold">
            <summary>Example</summary>
            <Code source={JSON.stringify(example, undefined, 2)} language="json" label={`Example of ${code}`} />
          </details>
        </section>
      ))}
    </>
  )
}

/** Makes links between codes lead to this page, and removes links to other documents of the repository. */
function linkCodes(line: string): string {
  return line.replaceAll(/\]\(#(\w+)\)/g, '](#error-$1)').replaceAll(/\[((?:[^\]`]|`[^`]*`)+)\]\((?!#)[^)]+\)/g, '$1')
}
