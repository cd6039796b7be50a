import type { OpenapiParameter } from '@tallystick/core'
import { Button, Select, useAction, withoutReload } from '@tallystick/ui'
import { useId, useState } from 'preact/hooks'
import { reformatIfJson } from '../../json/reformat-json.ts'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import type { Endpoint } from '../openapi/openapi.ts'
import { CopyButton } from '../text/copy-button.tsx'
import { Code } from '../text/elements.tsx'
import { useDocs } from './docs-context.ts'
import type { ApiRequest, RequestInput } from './request.ts'
import { type ApiAnswer, bodyBytesMax, sendRequest } from './send-request.ts'

// A service answers within its own timeouts, which are shorter. A stream does not end by itself.
const timeoutMs = 30_000
const streamMs = 5_000

type TryItProps = {
  readonly endpoint: Endpoint
  readonly input: RequestInput
  readonly request: ApiRequest
  readonly onChange: (input: RequestInput) => void
}

/** Renders a form that changes the request of an endpoint and sends it to this service. */
export function TryIt({ endpoint: { method, path, operation }, input, request, onChange }: TryItProps) {
  const { sampleContext, enterKey } = useDocs()
  const { answer, problem, isSending, send, stop } = useSending(request, sampleContext.apiKey)
  const id = useId()
  const setValue = (name: string, value: string) => onChange({ ...input, values: { ...input.values, [name]: value } })
  const lacksKey = request.needsKey && sampleContext.apiKey === undefined
  return (
    <details class="docs-try">
      <summary>Try it</summary>
      <form class="grid" aria-label={`Try ${method} ${path}`} onSubmit={withoutReload(send)}>
        {(operation.parameters ?? []).map((parameter) => (
          <ParameterField
            key={parameter.name}
            id={`${id}-${parameter.name}`}
            parameter={parameter}
            value={input.values[parameter.name] ?? ''}
            onChange={(value) => setValue(parameter.name, value)}
          />
        ))}
        {operation.requestBody ? (
          <BodyField
            id={`${id}-body`}
            operation={operation}
            body={input.body}
            onChange={(body) => onChange({ ...input, body })}
          />
        ) : null}
        <div class="row docs-try-actions">
          {lacksKey ? (
            <Button class="primary" label="Enter your key to send" onClick={enterKey} />
          ) : (
            <Button type="submit" class="primary" label="Send" disabled={isSending} />
          )}
          {isSending ? <Button label="Stop" onClick={stop} /> : null}
          <code class="hint shrink">
            {method} {request.path}
          </code>
        </div>
      </form>
      {problem === undefined ? null : <ErrorNotice error={problem} />}
      {answer ? <Answer answer={answer} isStream={request.isStream} /> : null}
    </details>
  )
}

function useSending(request: ApiRequest, apiKey: string | undefined) {
  const [answer, setAnswer] = useState<ApiAnswer>()
  const { isRunning, error, run, clear } = useAction<void>(async (_, stopped) => {
    setAnswer(undefined)
    const signal = AbortSignal.any([stopped, AbortSignal.timeout(request.isStream ? streamMs : timeoutMs)])
    setAnswer(await sendRequest(request, { apiKey, signal }))
  })
  return { answer, problem: error, isSending: isRunning, send: () => void run(), stop: clear }
}

type ParameterFieldProps = {
  readonly id: string
  readonly parameter: OpenapiParameter
  readonly value: string
  readonly onChange: (value: string) => void
}

function ParameterField({ id, parameter: { name, required, schema }, value, onChange }: ParameterFieldProps) {
  return (
    <div class="docs-field shrink">
      <label class="block" for={id}>
        <code>{name}</code>
        {required ? <span class="muted"> required</span> : null}
      </label>
      {schema.enum ? (
        <Select
          id={id}
          value={value}
          options={[...(required ? [] : [['', 'not sent'] as const]), ...schema.enum.map(toOption)]}
          onChoose={onChange}
        />
      ) : (
        <input
          id={id}
          value={value}
          required={required}
          placeholder={schema.examples ? `such as ${String(schema.examples[0])}` : ''}
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      )}
    </div>
  )
}

function toOption(value: unknown): readonly [string, string] {
  return [String(value), String(value)]
}

type BodyFieldProps = {
  readonly id: string
  readonly operation: Endpoint['operation']
  readonly body: string
  readonly onChange: (body: string) => void
}

function BodyField({ id, operation, body, onChange }: BodyFieldProps) {
  const examples = Object.values(operation.requestBody?.content['application/json']?.examples ?? {})
  return (
    <div class="docs-field shrink docs-field-body">
      <label class="block" for={id}>
        Body <span class="muted">JSON</span>
      </label>
      {/* The editor holds what will be sent. */}
      <textarea
        id={id}
        class="mono"
        rows={Math.min(16, body.split('\n').length + 1)}
        value={body}
        spellcheck={false}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
      {examples.length > 0 ? (
        <div class="docs-body-examples">
          {examples.map(({ summary, value }) => (
            <Button
              key={summary}
              class="chip"
              label={summary}
              onClick={() => onChange(JSON.stringify(value, undefined, 2))}
            />
          ))}
        </div>
      ) : null}
    </div>
  )
}

/** Renders the response to a request: status, time, headers and body. */
function Answer({ answer, isStream }: { readonly answer: ApiAnswer; readonly isStream: boolean }) {
  const { status, durationMs, headers, body, end } = answer
  const text = reformatIfJson(body, '  ')
  const isJson = text !== '' && /^[[{]/.test(text)
  return (
    <div class="docs-answer">
      <div class="row docs-bar apart">
        <p role="status">
          <span class={`pill tone-${status < 400 ? 'good' : 'bad'}`}>Status {status}</span>
          <span class="muted"> {Math.round(durationMs)} ms</span>
          {explainEnd(end, isStream)}
        </p>
        {text === '' ? null : <CopyButton text={text} label="the response body" />}
      </div>
      <dl class="docs-headers">
        {headers.map(([name, value]) => (
          <div key={name} class="flex wrap">
            <dt class="muted">{name}</dt>
            <dd class="anywhere">{value}</dd>
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
