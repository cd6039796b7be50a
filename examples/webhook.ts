/**
 * A receiver of webhooks, as an integrator would write it: verify each request, process each event once, respond at once.
 * Needs a sandbox: `npm start` in one terminal, `npm run webhook` in another. With `-- --keep` it waits for further events.
 */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createClient, verifyWebhook, WebhookError, type WebhookEvent } from '@tallystick/client'
import { readCredentials, trustSandbox } from './sandbox.ts'

const directory = process.argv[process.argv.indexOf('--dir') + 1 || process.argv.length] ?? '.tallystick'
const credentials = await readCredentials(directory)

// The time of a sandbox may have been moved. On a real service leave `now` out: your clock is the right one.
const client = createClient({
  baseUrl: credentials.baseUrl,
  apiKey: credentials.apiKey,
  fetch: trustSandbox(credentials),
})
let aheadMs = Number((await client.notes()).serverTime) * 1000 - Date.now()
const now = () => Date.now() + aheadMs

// A request may come twice. Keep the ids in your database for 4 days, together with the result of the event.
const seen = new Set<string>()
let secret = ''
let recorded: { readonly headers: Record<string, string>; readonly body: Buffer } | undefined

const server = createServer(async (request, response) => {
  const body = await readBody(request)
  recorded ??= { headers: pickHeaders(request), body }
  try {
    const event = await verifyWebhook(request.headers, body, secret, { now })
    if (seen.has(event.id)) say(`ignored: ${event.id} was processed before`)
    else show(event)
    seen.add(event.id)
    response.writeHead(204).end()
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error
    say(`rejected: ${error.message}`)
    response.writeHead(400).end()
  }
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`

// The operator's part: `tallystick hooks add <url> --types notes,rate,status` prints the secret, which you store.
const added = await operate<{ hook: { id: string }; secret: string }>('/hooks', {
  url,
  types: ['notes', 'rate', 'status'],
})
secret = added.secret
say(`hook ${added.hook.id} sends to ${url}`)
const tested = await operate<{ isDelivered: boolean; status: number | null; error: string | null }>(
  `/hooks/${added.hook.id}/test`,
)
say(tested.isDelivered ? `the service got status ${tested.status}` : `NOT delivered: ${tested.error}`)

// A request of somebody else is rejected.
const forged = await fetch(url, { method: 'POST', headers: { 'webhook-id': 'msg_forged' }, body: '{}' })
say(`a forged request got status ${forged.status}`)

// Somebody who recorded a request repeats it: at once, with another time, and more than 5 minutes later.
const repeat = (changed: Record<string, string> = {}) =>
  fetch(url, { method: 'POST', headers: { ...recorded?.headers, ...changed }, body: recorded?.body ?? '' })
const statuses = [
  (await repeat()).status,
  (await repeat({ 'webhook-timestamp': `${Number(recorded?.headers['webhook-timestamp']) + 1}` })).status,
]
aheadMs += 310_000
statuses.push((await repeat()).status)
aheadMs -= 310_000
say(`repeated requests got the statuses ${statuses.join(', ')}`)

if (process.argv.includes('--keep')) say('waiting for events, Ctrl-C ends')
else {
  await operate(`/hooks/${added.hook.id}/remove`)
  server.close()
  if (!tested.isDelivered) process.exitCode = 1
}

function show(event: WebhookEvent): void {
  if (event.type === 'notes') {
    for (const note of event.notes) say(`${note.tenorDays} days at ${note.coupon} bps until ${note.validBefore}`)
  } else if (event.type === 'rate') say(`chain ${event.chainId}: floating rate ${event.floatingRate} bps`)
  else if (event.type === 'status') say(`chain ${event.chainId} is ${event.status}: ${event.message}`)
  else if (event.type === 'test') say(`test event: ${event.message}`)
}

function pickHeaders({ headers }: IncomingMessage): Record<string, string> {
  const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature']
  return Object.fromEntries(names.flatMap((name) => (headers[name] ? [[name, String(headers[name])]] : [])))
}

/** Returns the body as it was received. Frameworks that parse it have a setting for this. */
async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** Sends a request to the admin listener, as `tallystick hooks` does. */
async function operate<Answer>(path: string, body?: object): Promise<Answer> {
  const { adminUrl, adminToken } = credentials
  const headers = { authorization: `Bearer ${adminToken}`, ...(body && { 'content-type': 'application/json' }) }
  const answer = await fetch(adminUrl + path, { method: 'POST', headers, ...(body && { body: JSON.stringify(body) }) })
  if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`)
  return (await answer.json()) as Answer
}

function say(text: string): void {
  process.stdout.write(`${text}\n`)
}
