import { useState } from 'preact/hooks'
import type { PortalInfo } from '../data/portal-info.ts'
import type { Session } from '../data/session.ts'
import { type DataRequest, type Draft, formRequest } from './draft.ts'
import { formatCurl, formatSdkCode } from './format-code.ts'

type PanelProps = {
  readonly draft: Draft
  readonly info: PortalInfo
  readonly session: Session
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
    <section class="request" aria-labelledby="request-heading">
      <div class="row request-head">
        <h2 id="request-heading">Request</h2>
        <EndpointChoice draft={draft} onChange={onChange} />
        {request ? (
          <div class="row request-tools">
            <button
              type="button"
              class="quiet"
              onClick={() => copy('the curl command', formatCurl(request, { baseUrl: origin, apiKey, caCert }))}
            >
              Copy as curl
            </button>
            <button
              type="button"
              class="quiet"
              onClick={() => copy('the SDK code', formatSdkCode(draft, { baseUrl: origin, apiKey }))}
            >
              Copy as SDK code
            </button>
            {link ? (
              <button type="button" class="quiet" onClick={() => copy('the link', origin + link)}>
                Copy link
              </button>
            ) : null}
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
function ShownRequest({ request: { path, headers, body } }: { readonly request: DataRequest }) {
  const lines = [
    `POST ${location.origin}${path}`,
    'x-api-key: (your key)',
    ...Object.entries(headers).map((header) => header.join(': ')),
  ]
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard.
    <section class="request-text" tabIndex={0} aria-label="Request as it is sent">
      <pre class="mono">
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
      <label>
        <input type="radio" name="endpoint" checked={!isPlain} onChange={() => onChange({ isPlain: false })} />
        <span title="The answer is a list with one entry per chain.">/data</span>
      </label>
      <label>
        <input type="radio" name="endpoint" checked={isPlain} onChange={() => onChange({ isPlain: true })} />
        <span title="Plain GraphQL over HTTP, for standard clients.">/data/{only}</span>
      </label>
    </fieldset>
  )
}
