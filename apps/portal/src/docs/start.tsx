import { hrefOfPage, type PageGroup } from './docs-pages.ts'
import { listEndpoints } from './openapi/openapi.ts'
import { useDocs } from './requests/docs-context.ts'
import { Heading, Inline } from './text/elements.tsx'
import { slug } from './text/parse-markdown.ts'

/** Renders the first page: the guides as cards, and the endpoints. */
export function Start({ groups }: { readonly groups: readonly PageGroup[] }) {
  const { document, sampleContext, enterKey } = useDocs()
  const guides = groups[0]?.pages.filter(({ content }) => content.kind === 'guide') ?? []
  return (
    <>
      <p class="row docs-base">
        <span class="muted">Base URL</span> <code>{sampleContext.baseUrl}</code>
        {sampleContext.apiKey === undefined ? (
          <button type="button" class="bare docs-link" onClick={enterKey}>
            Enter your key
          </button>
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
            <a class="card" href={hrefOfPage(page)}>
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
              <li key={operation.operationId}>
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
