import { createHmac } from 'node:crypto'
import type { StoredEvent } from '../events/event-store.ts'

/** Webhook as it is sent (Standard Webhooks): the same id and body at every attempt. */
export type WebhookMessage = { readonly id: string; readonly body: Buffer }

// A set of 7 notes has 4 KB. A larger body would be too much for many receivers.
export const bodyBytesMax = 1_048_576

/** Returns the id under which a hook gets an event. The tag differs after a restore that counts the same ids again. */
export function webhookIdOf(hookId: string, { id, tag }: Pick<StoredEvent, 'id' | 'tag'>): string {
  return `msg_${hookId.replace(/^hook_/, '')}_${id}_${tag}`
}

export function eventMessage(hookId: string, event: StoredEvent): WebhookMessage {
  const { type, data, createdAt } = event
  const timestamp = new Date(Number(createdAt) * 1000).toISOString()
  // The data is JSON already.
  const body = `{"type":${JSON.stringify(type)},"timestamp":"${timestamp}","data":${data}}`
  return { id: webhookIdOf(hookId, event), body: Buffer.from(body) }
}

/** Creates the message of `hooks test`. */
export function testMessage(
  hookId: string,
  { nonce, nowMs }: { readonly nonce: string; readonly nowMs: number },
): WebhookMessage {
  const timestamp = new Date(nowMs).toISOString()
  const body = JSON.stringify({ type: 'test', timestamp, data: { message: `This is a test of ${hookId}.` } })
  return { id: `msg_${hookId.replace(/^hook_/, '')}_test_${nonce}`, body: Buffer.from(body) }
}

/** Returns the headers of an attempt. There is a signature for each secret in force. */
export function signedHeaders(
  { id, body }: WebhookMessage,
  { secrets, nowSeconds }: { readonly secrets: readonly string[]; readonly nowSeconds: bigint },
): Readonly<Record<string, string>> {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${nowSeconds}.`).update(body).digest('base64')}`
  })
  return {
    'content-type': 'application/json',
    'user-agent': 'tallystick',
    'webhook-id': id,
    'webhook-timestamp': nowSeconds.toString(),
    'webhook-signature': signatures.join(' '),
  }
}
