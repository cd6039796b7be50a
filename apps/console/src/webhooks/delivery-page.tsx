import type { DeliveryAttempt, DeliveryReport, DeliveryView } from '@tallystick/core'
import { Button, Notice, Pill, useAction } from '@tallystick/ui'
import { useState } from 'preact/hooks'
import { formatPlace } from '../access/place.ts'
import { type AdminApi, useData } from '../api/admin-api.ts'
import { DataState } from '../parts/data-state.tsx'
import { ActionError } from '../parts/dialog.tsx'
import { Facts } from '../parts/facts.tsx'
import { formatIso, formatJson } from '../parts/format.ts'
import { deliveryTones, describeResponse } from './deliveries-table.tsx'

const intervalMs = 10_000

type DeliveryPageProps = {
  readonly api: AdminApi
  readonly canChange: boolean
  readonly hookId: string
  readonly event: string
}

type Resent = { readonly isDelivered: boolean; readonly error: string | null; readonly status: number | null }

/** Renders one delivery: what was sent, each attempt with its response, and the button that sends it again. */
export function DeliveryPage({ api, canChange, hookId, event }: DeliveryPageProps) {
  const path = `/hooks/${encodeURIComponent(hookId)}/deliveries/${encodeURIComponent(event)}`
  const data = useData<DeliveryReport>(api, path, intervalMs)
  const [resent, setResent] = useState<Resent>()
  const resend = useAction<void>(async () => {
    setResent(undefined)
    setResent(await api.post<Resent>(`${path}/resend`))
    data.refresh()
  })
  return (
    <div class="stack">
      <a class="back" href={formatPlace('webhooks', { path: [hookId] })}>
        All deliveries of the webhook
      </a>
      <ActionError action={resend} />
      {resent ? <Outcome resent={resent} /> : null}
      <DataState data={data}>
        {({ delivery, payload, attempts }) => (
          <div class="stack">
            <section class="card" aria-labelledby="delivery-heading">
              <div class="row apart">
                <h2 id="delivery-heading" class="page-name">
                  {`${delivery.type} ${delivery.event}`}
                </h2>
                {canChange && payload !== null && delivery.status !== 'skipped' ? (
                  <Button
                    class="quiet small"
                    label={resend.isRunning ? 'Sending…' : 'Send again'}
                    disabled={resend.isRunning}
                    onClick={() => resend.run()}
                  />
                ) : null}
              </div>
              <Facts facts={listFacts(delivery)} />
            </section>
            <Payload payload={payload} />
            <section class="card" aria-labelledby="attempts-heading">
              <h2 id="attempts-heading">Attempts, newest first</h2>
              {attempts.length === 0 ? <p class="muted use-none">Attempts are kept for 4 days.</p> : null}
              <ol class="attempts grid">
                {attempts.map((attempt, index) => (
                  <Attempt key={`${attempt.at} ${attempts.length - index}`} attempt={attempt} canSee={canChange} />
                ))}
              </ol>
            </section>
          </div>
        )}
      </DataState>
    </div>
  )
}

function Outcome({ resent: { isDelivered, status, error } }: { readonly resent: Resent }) {
  if (isDelivered) return <Notice tone="good" title="The receiver accepted it" text={`Status ${status}.`} />
  return <Notice tone="bad" title="The receiver did not accept it" text={error ?? `Status ${status}.`} />
}

function listFacts(delivery: DeliveryView) {
  const { status, error, webhookId, chainId, attempts, firstAttemptAt, lastAttemptAt, nextAttemptAt } = delivery
  return [
    ['Status', <Pill tone={deliveryTones[status]}>{status}</Pill>],
    ...(error ? [['Problem', error] as const] : []),
    ['webhook-id', <code class="anywhere">{webhookId}</code>],
    ['Chain', chainId],
    ['Attempts', String(attempts)],
    ['First attempt', formatIso(firstAttemptAt)],
    ['Last attempt', formatIso(lastAttemptAt)],
    ...(nextAttemptAt ? [['Next attempt', formatIso(nextAttemptAt)] as const] : []),
  ] as const
}

function Payload({ payload }: { readonly payload: string | null }) {
  return (
    <section class="card" aria-labelledby="payload-heading">
      <h2 id="payload-heading">Payload</h2>
      {payload === null ? (
        <p class="muted use-none">The event was deleted. Events are kept for 4 days.</p>
      ) : (
        <>
          <p class="hint">Every attempt has this body, on one line. Only its signature differs.</p>
          <Code label="Body of the request" text={formatJson(payload)} />
        </>
      )}
    </section>
  )
}

function Attempt({ attempt, canSee }: { readonly attempt: DeliveryAttempt; readonly canSee: boolean }) {
  const { at, status, error, durationMs, isResend, response } = attempt
  return (
    <li>
      <p class="row">
        <Pill tone={error === null ? 'good' : 'bad'}>{describeResponse(status, durationMs)}</Pill>
        <time dateTime={at}>{formatIso(at)}</time>
        {isResend ? <span class="hint">sent again by an operator</span> : null}
      </p>
      {error && status === null ? <p class="hint anywhere">{error}</p> : null}
      {response ? (
        <details>
          <summary>Response</summary>
          <p class="hint code-name">Headers</p>
          <Code
            label="Headers of the response"
            text={response.headers.map(([name, value]) => `${name}: ${value}`).join('\n') || 'no headers'}
          />
          <p class="hint code-name">Body</p>
          <Code label="Body of the response" text={response.body || 'no body'} />
          {response.isCut ? <p class="hint">The body goes on. At most its first 1,024 bytes are kept.</p> : null}
        </details>
      ) : null}
      {response === null && status !== null && !canSee ? (
        <p class="hint">Only a token with the role “hooks” sees what the receiver responded.</p>
      ) : null}
    </li>
  )
}

/** Renders a text of a stranger as text. */
function Code({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a long text scrolls in this box, which a keyboard must reach.
    <section class="code-box mono" aria-label={label} tabIndex={0}>
      <pre>{text}</pre>
    </section>
  )
}
