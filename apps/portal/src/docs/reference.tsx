import type { OpenapiDocument } from '@tallystick/core'
import { listTagEndpoints } from './openapi/openapi.ts'
import { OperationView } from './operation.tsx'
import { Parts } from './parts.tsx'
import { renderMarkdown } from './text/render-markdown.ts'

type ReferenceProps = {
  readonly document: OpenapiDocument
  /** Undefined for what all endpoints have in common. */
  readonly tag: string | undefined
}

/** Renders a page of the reference. It loads with the renderer of the document's Markdown. */
export function Reference({ document, tag }: ReferenceProps) {
  if (tag === undefined) {
    return <Parts parts={renderMarkdown(document.info.description, { label: 'Basics' })} label="Basics" />
  }
  return (
    <>
      {listTagEndpoints(document, tag).map((endpoint) => (
        <OperationView key={endpoint.operation.operationId} document={document} endpoint={endpoint} />
      ))}
    </>
  )
}
