import { useState } from 'preact/hooks'
import type { Endpoint } from '../openapi/openapi.ts'
import type { Sample } from '../text/parse-markdown.ts'
import { Example } from './example.tsx'
import { fillSample } from './fill-sample.ts'
import { formatCurl, formatFetch, formatPython, type SampleContext } from './format-request.ts'
import { type ApiRequest, buildRequest, readExample } from './request.ts'
import { TryIt } from './try-it.tsx'

/** Renders the request of an endpoint in all languages, and a form that changes and sends it. */
export function EndpointExample({ endpoint }: { readonly endpoint: Endpoint }) {
  const [input, setInput] = useState(() => readExample(endpoint))
  const request = buildRequest(endpoint, input)
  return (
    <>
      <Example
        label={`${endpoint.method} ${endpoint.path}`}
        format={(context) => formatSamples(endpoint, { request, context })}
      />
      <TryIt endpoint={endpoint} input={input} request={request} onChange={setInput} />
    </>
  )
}

function formatSamples(
  { operation }: Endpoint,
  { request, context }: { readonly request: ApiRequest; readonly context: SampleContext },
): readonly Sample[] {
  const sdk = operation['x-codeSamples'].find(({ lang }) => lang === 'TypeScript')
  return [
    formatCurl(request, context),
    sdk ? fillSample({ language: 'ts', source: sdk.source }, context) : formatFetch(request, context),
    formatPython(request, context),
  ]
}
