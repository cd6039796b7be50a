import { Code } from '../text/code.tsx'
import { CopyButton } from '../text/copy-button.tsx'
import { type ApiAnswer, bodyBytesMax, formatBody } from './send-request.ts'

/** Renders the response to a request: status, time, headers and body. */
export function Answer({ answer, isStream }: { readonly answer: ApiAnswer; readonly isStream: boolean }) {
  const { status, durationMs, headers, body, end } = answer
  const text = formatBody(body)
  const isJson = text !== '' && /^[[{]/.test(text)
  return (
    <div class="docs-answer">
      <div class="row docs-bar">
        <p role="status">
          <span class={`pill tone-${status < 400 ? 'good' : 'bad'}`}>Status {status}</span>
          <span class="muted"> {Math.round(durationMs)} ms</span>
          {explainEnd(end, isStream)}
        </p>
        {text === '' ? null : <CopyButton text={text} label="the response body" />}
      </div>
      <dl class="docs-headers">
        {headers.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {text === '' ? (
        <p class="hint">There is no body.</p>
      ) : (
        <Code source={text} language={isJson ? 'json' : 'text'} label="Response body" />
      )}
    </div>
  )
}

function explainEnd(end: ApiAnswer['end'], isStream: boolean): string {
  if (end === 'size') return ` Only the first ${bodyBytesMax / 1024} KiB are shown.`
  if (end === 'time') return isStream ? ' The page closed the stream.' : ' Stopped before the end of the body.'
  return ''
}
