import type { PortalInfo } from '@tallystick/core'
import { Button, Choices } from '@tallystick/ui'
import { useState } from 'preact/hooks'
import type { KeySession } from '../data/session.ts'
import { formatCurl } from '../docs/requests/format-request.ts'
import type { ApiRequest } from '../docs/requests/request.ts'
import { type Draft, formRequest } from './draft.ts'
import { formatSdkCode } from './format-code.ts'

type PanelProps = {
  readonly draft: Draft
  readonly info: PortalInfo
  readonly session: KeySession
  /** Undefined if there is none for this draft. */
  readonly link: string | undefined
  readonly onChange: (part: Partial<Draft>) => void
  readonly onSay: (message: string) => void
}

/** Renders the request that "Run" sends, and copies it as code. */
export function RequestPanel({ draft, info, session, link, onChange, onSay }: PanelProps) {
  const [hasKey, setHasKey] = useState(false)
  const { origin } = location
  const { request, fault } = { request: undefined, fault: undefined, ...formRequest(draft) }
  const apiKey = hasKey ? session.apiKey : undefined
  const copy = (name: string, text: string) => {
    navigator.clipboard.writeText(text).then(
      () => onSay(`Copied ${name}.`),
      () => onSay('The browser does not allow copying. Select the text instead.'),
    )
  }
  const caCert = info.visitor?.caCert
  return (
    <section class="request ruled-top" aria-labelledby="request-heading">
      <div class="row request-head">
        <h2 id="request-heading" class="hint">
          Request
        </h2>
        <EndpointChoice draft={draft} onChange={onChange} />
        {request ? (
          <div class="row request-tools">
            <Button
              label="Copy as curl"
              onClick={() => copy('the curl command', formatCurl(request, { baseUrl: origin, apiKey, caCert }).source)}
            />
            <Button
              label="Copy as SDK code"
              onClick={() => copy('the SDK code', formatSdkCode(draft, { baseUrl: origin, apiKey }))}
            />
            {link ? <Button label="Copy link" onClick={() => copy('the link', origin + link)} /> : null}
            <label class="check check-field">
              <input type="checkbox" checked={hasKey} onChange={(event) => setHasKey(event.currentTarget.checked)} />
              with my key
            </label>
          </div>
        ) : null}
      </div>
      {request ? <ShownRequest request={request} /> : <p class="field-fault">{fault}</p>}
      {link ? null : <p class="hint">The query is too long for a link, or has a key in it.</p>}
    </section>
  )
}

/** The key is not shown: this part of the page may be on a screenshot. */
function ShownRequest({ request: { path, headers, body } }: { readonly request: ApiRequest }) {
  const lines = [
    `POST ${location.origin}${path}`,
    'x-api-key: (your key)',
    ...headers.map((header) => header.join(': ')),
  ]
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard.
    <section class="request-text" tabIndex={0} aria-label="Request as it is sent">
      <pre class="mono soft anywhere">
        {lines.join('\n')}
        {'\n\n'}
        <span class="request-body">{body}</span>
      </pre>
    </section>
  )
}

function EndpointChoice({ draft, onChange }: Pick<PanelProps, 'draft' | 'onChange'>) {
  const { chains, isPlain = false } = draft
  const [only] = chains
  if (chains.length !== 1) return null
  return (
    <fieldset class="segments endpoint-choice">
      <legend class="sr-only">Endpoint</legend>
      <Choices
        name="endpoint"
        options={[
          { value: false, label: '/data', title: 'The answer is a list with one entry per chain.' },
          { value: true, label: `/data/${only}`, title: 'Plain GraphQL over HTTP, for standard clients.' },
        ]}
        chosen={isPlain}
        onChoose={(plain) => onChange({ isPlain: plain })}
      />
    </fieldset>
  )
}
