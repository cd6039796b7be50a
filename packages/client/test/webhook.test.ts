import { randomBytes } from 'node:crypto'
import { createRequire } from 'node:module'
import { notesResponseSchema, rateEventSchema, statusEventSchema } from '@tallystick/core'
import { describe, expect, test } from 'vitest'
import { verifyWebhook, WebhookError, type WebhookHeaders } from '../src/index.ts'

// The library of the convention is an independent implementation.
const { Webhook } = createRequire(import.meta.url)('standardwebhooks') as {
  readonly Webhook: new (
    secret: string,
  ) => {
    sign(id: string, timestamp: Date, payload: string): string
    verify(payload: string, headers: Record<string, string>): unknown
  }
}

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const other = `whsec_${Buffer.alloc(24, 9).toString('base64')}`
const nowMs = Date.parse('2026-11-15T18:00:00-05:00')
const now = () => nowMs
const note = {
  maturity_timestamp: '1795410000',
  coupon: '369',
  note_started_at: '1794718800',
  signature_valid_after: '1794783599',
  signature_valid_before: '1794805200',
  signature: { r: `0x${'1'.repeat(64)}`, s: `0x${'2'.repeat(64)}`, v: 27 },
  chainid: '324',
}
const datas = {
  notes: notesResponseSchema.parse({ message: 'Notes.', data: [note], availableMaturities: [7, 14] }),
  rate: rateEventSchema.parse({
    chainid: '324',
    fixedRates: [{ maturity: 7, maturity_timestamp: '1795410000', coupon: '369' }],
    floatingRate: null,
    floatingDay: null,
    marketRates: [{ maturity: 7, rate: '369' }],
  }),
  status: statusEventSchema.parse({
    message: 'The pool is paused.',
    chainid: '324',
    changed: ['status'],
    status: 'paused',
    isProtocolSynced: true,
    availableMaturities: [7],
    signer: null,
  }),
  test: { message: 'This is a test of hook_0.' },
}
type Name = keyof typeof datas

const bodyOf = (type: string, data: unknown) => JSON.stringify({ type, timestamp: '2026-11-15T23:00:00.000Z', data })
const body = bodyOf('notes', datas.notes)

/** Signs with the library of the convention. */
function sign(payload: string, { by = [secret], id = 'msg_1', atMs = nowMs } = {}): Record<string, string> {
  const at = new Date(atMs)
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(atMs / 1000)),
    'webhook-signature': by.map((one) => new Webhook(one).sign(id, at, payload)).join(' '),
  }
}

async function reasonOf(headers: WebhookHeaders, ...given: readonly unknown[]): Promise<string> {
  const [payload, secrets] = [given.length > 0 ? given[0] : body, given.length > 1 ? given[1] : secret]
  try {
    await verifyWebhook(headers, payload as string, secrets as string, { now })
    return 'valid'
  } catch (error) {
    expect(error).toBeInstanceOf(WebhookError)
    const { code, retryable, reason, message } = error as WebhookError
    expect([code, retryable]).toEqual(['invalid_webhook', false])
    expect(message).toMatch(/\.$/)
    expect(message).not.toContain(secret.slice(6))
    return reason
  }
}

describe('default: every type is verified and decoded', () => {
  const facts = { id: 'msg_1', sentAt: 1794783600n, occurredAt: 1794783600n }
  const rates = [{ maturity: 7, rate: 369n }]
  const expected: Record<Name, object> = {
    notes: {
      message: 'Notes.',
      availableMaturities: [7, 14],
      notes: [
        expect.objectContaining({ chainId: 324, coupon: 369n, tenorDays: 8, validBefore: 1794805200n, raw: note }),
      ],
    },
    rate: {
      chainId: 324,
      fixedRates: [{ maturity: 7, maturityTimestamp: 1795410000n, coupon: 369n }],
      ...{ floatingRate: null, floatingDay: null, marketRates: rates },
    },
    status: {
      ...{ message: 'The pool is paused.', chainId: 324, changed: ['status'], status: 'paused' },
      ...{ isProtocolSynced: true, availableMaturities: [7], signer: null },
    },
    test: { message: 'This is a test of hook_0.' },
  }
  test.each(Object.keys(datas) as Name[])('%s', async (type) => {
    const text = bodyOf(type, datas[type])
    expect(await verifyWebhook(sign(text), text, secret, { now })).toEqual({ type, ...facts, ...expected[type] })
  })

  test('a type that this version does not know', async () => {
    const text = bodyOf('coupons', { any: 1 })
    expect(await verifyWebhook(sign(text), text, secret, { now })).toEqual({
      ...{ ...facts, type: 'other', name: 'coupons', data: { any: 1 } },
    })
  })
})

test('default: headers and body in every form', async () => {
  const headers = sign(body)
  const upper = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]))
  const lists = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]))
  for (const form of [headers, new Headers(headers), upper, lists]) expect(await reasonOf(form)).toBe('valid')
  for (const form of [body, Buffer.from(body), new TextEncoder().encode(body)]) {
    expect(await reasonOf(headers, form)).toBe('valid')
  }
})

test('behavior: several signatures and several secrets: one match is enough', async () => {
  expect(await reasonOf(sign(body, { by: [other, secret] }))).toBe('valid')
  expect(await reasonOf(sign(body, { by: [other] }), body, [secret, other])).toBe('valid')
  expect(await reasonOf(sign(body, { by: [other] }))).toBe('signature')
  const headers = sign(body)
  const mixed = `v2,AAAA v1a,${'A'.repeat(86)}== nonsense v1,!!! ${headers['webhook-signature']}`
  expect(await reasonOf({ ...headers, 'webhook-signature': mixed })).toBe('valid')
})

test.each([
  ['webhook-id', 'msg_2', 'signature'],
  ['webhook-id', '', 'headers'],
  ['webhook-timestamp', '1794783601', 'signature'],
  ['webhook-timestamp', '1794783600.0', 'headers'],
  ['webhook-timestamp', ' 1794783600', 'headers'],
  ['webhook-timestamp', '-1', 'headers'],
  ['webhook-timestamp', 'now', 'headers'],
  ['webhook-signature', '', 'headers'],
  ['webhook-signature', 'v1,', 'signature'],
  ['webhook-signature', 'v1', 'signature'],
  ['webhook-signature', 'v2,AAAA', 'signature'],
])('error: %s %j is refused because of the %s', async (name, value, reason) => {
  expect(await reasonOf({ ...sign(body), [name]: value })).toBe(reason)
})

test('error: a huge header is refused', async () => {
  for (const huge of [`v1,${'A'.repeat(1_000_000)}`, 'v1,A '.repeat(200_000)]) {
    expect(await reasonOf({ ...sign(body), 'webhook-signature': huge })).toBe('signature')
  }
})

test('error: a flipped bit anywhere in the body or the signature is found', async () => {
  const headers = sign(body)
  const bytes = Buffer.from(body)
  for (let index = 0; index < bytes.length; index += 37) {
    const changed = Buffer.from(bytes)
    changed[index] = (changed[index] as number) ^ 1
    expect(await reasonOf(headers, changed)).toBe('signature')
  }
  const signature = Buffer.from((headers['webhook-signature'] as string).slice(3), 'base64')
  for (let index = 0; index < 32; index++) {
    const changed = Buffer.from(signature)
    changed[index] = (changed[index] as number) ^ 128
    const header = `v1,${changed.toString('base64')}`
    expect(await reasonOf({ ...headers, 'webhook-signature': header })).toBe('signature')
  }
  expect(
    await reasonOf({ ...headers, 'webhook-signature': `v1,${signature.subarray(0, 31).toString('base64')}` }),
  ).toBe('signature')
})

test.each([
  [-301, 'time'],
  [-300, 'valid'],
  [0, 'valid'],
  [300, 'valid'],
  [301, 'time'],
])('behavior: a request sent %i s from now is %s', async (seconds, reason) => {
  expect(await reasonOf(sign(body, { atMs: nowMs + seconds * 1000 }))).toBe(reason)
})

test('behavior: the tolerance can be set, and the message says which clock to check', async () => {
  const old = sign(body, { atMs: nowMs - 3_600_000 })
  expect((await verifyWebhook(old, body, secret, { now, toleranceSeconds: 3600 })).id).toBe('msg_1')
  await expect(verifyWebhook(old, body, secret, { now })).rejects.toThrow(/^The webhook is 3600 s old\. /)
  const early = sign(body, { atMs: nowMs + 3_600_000 })
  await expect(verifyWebhook(early, body, secret, { now })).rejects.toThrow(/3600 s in the future\. Check your clock/)
})

test.each([
  [
    '',
    undefined,
    null,
    [],
    [''],
    'whsec_',
    'whsec_AAAA',
    'secret!',
    `whsec_${'A'.repeat(88)}`,
    { secret },
    [secret, 'x'],
  ],
])('error: a wrong secret is named as the cause', async (...secrets) => {
  for (const wrong of secrets) expect(await reasonOf(sign(body), body, wrong)).toBe('secret')
})

test('error: a parsed body, a missing body and a body that is not ours are named as the cause', async () => {
  for (const wrong of [JSON.parse(body), undefined, null, 7]) expect(await reasonOf(sign(body), wrong)).toBe('body')
  const bodies = [
    '',
    '{',
    'null',
    '[]',
    '{}',
    bodyOf('notes', {}),
    bodyOf('rate', null),
    bodyOf('status', { chainid: 1 }),
  ]
  for (const text of [...bodies, body.replace('369', '3.69'), body.replace('"2026-11-15T23', '"tomorrow')]) {
    expect(await reasonOf(sign(text), text)).toBe('body')
  }
})

test('behavior: it agrees with the library of the convention on random requests', async () => {
  const realNow = Date.now()
  for (let round = 0; round < 40; round++) {
    const key = `whsec_${randomBytes(24 + (round % 41)).toString('base64')}`
    const text = bodyOf('test', { message: randomBytes(round * 3).toString('latin1') })
    const signed = sign(text, { by: [key], id: `msg_${round}`, atMs: realNow })
    const changes = [signed, { ...signed, 'webhook-id': 'msg_x' }, { ...signed, 'webhook-signature': 'v1,AAAA' }]
    for (const headers of changes) {
      const theirs = (() => {
        try {
          new Webhook(key).verify(text, headers)
          return true
        } catch {
          return false
        }
      })()
      const ours = await verifyWebhook(headers, text, key).then(
        () => true,
        () => false,
      )
      expect([ours, theirs]).toEqual([headers === signed, headers === signed])
    }
  }
})
