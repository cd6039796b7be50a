import { Notice } from '@tallystick/ui'
import { listAllFailures, listEndpoints } from './openapi/openapi.ts'
import { useDocs } from './requests/docs-context.ts'
import { EndpointExample, Example } from './requests/example.tsx'
import { fillSample } from './requests/fill-sample.ts'
import { fillValues } from './requests/fill-values.ts'
import { Code } from './text/elements.tsx'
import { escapeHtml } from './text/escape-html.ts'
import { Html } from './text/html.tsx'
import type { Part } from './text/part.ts'

type PartsProps = { readonly parts: readonly Part[]; readonly label: string }

/** Renders the parts of a Markdown text, with the values of this service. */
export function Parts({ parts, label }: PartsProps) {
  return (
    <>
      {parts.map((part, index) => (
        <PartView key={index} part={part} label={label} />
      ))}
    </>
  )
}

function PartView({ part, label }: { readonly part: Part; readonly label: string }) {
  const { chainId, wallet } = useDocs()
  switch (part.kind) {
    case 'html':
      return <Html html={fillValues(part.html, { chainId, wallet: escapeHtml(wallet) })} />
    case 'samples':
      return (
        <Example
          label={label}
          format={(context) =>
            part.samples.map(({ language, source }) =>
              fillSample({ language, source: fillValues(source, { chainId, wallet }) }, context),
            )
          }
        />
      )
    case 'text':
      return <Code source={part.source} language="text" label={label} />
    case 'try':
      return <GuideRequest operationId={part.operationId} />
    case 'error':
      return <ErrorExample code={part.code} />
  }
}

/** Renders the request of an endpoint inside a guide. */
function GuideRequest({ operationId }: { readonly operationId: string }) {
  const { document } = useDocs()
  if (!document) return null
  const endpoint = listEndpoints(document).find(({ operation }) => operation.operationId === operationId)
  if (endpoint) return <EndpointExample endpoint={endpoint} />
  return <Notice tone="calm" title="This service does not have this endpoint" />
}

/** Renders the response with an error code, if an endpoint of this service sends it. */
function ErrorExample({ code }: { readonly code: string }) {
  const { document } = useDocs()
  const failure = document && listAllFailures(document).find((one) => one.code === code)
  if (!failure) return null
  return (
    <details class="docs-fold">
      <summary>Example</summary>
      <Code source={JSON.stringify(failure.example, undefined, 2)} language="json" label={`Example of ${code}`} />
    </details>
  )
}
