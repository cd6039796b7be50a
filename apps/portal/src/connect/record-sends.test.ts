import { expect, test } from 'vitest'
import { createFakeBrowser, fakeHash } from '../sent/fake-sent.ts'
import { createFakeProvider } from './provider/fake-provider.ts'
import { recordSends } from './record-sends.ts'

const call = { method: 'eth_sendTransaction', params: [{ to: '0x52', data: '0x1949f17e' }] }

const approval = { to: '0x51', data: '0x095ea7b3' }
const batch = { method: 'wallet_sendCalls', params: [{ calls: [approval, call.params[0]] }] }

function record(send: () => unknown, { hasOwners = false, count = () => '0x7' as unknown } = {}) {
  const sent = createFakeBrowser().openTab()
  const { provider } = createFakeProvider({
    eth_sendTransaction: send,
    wallet_sendCalls: send,
    eth_getTransactionCount: count,
    eth_call: () => 'read',
  })
  const recorded = recordSends(provider, {
    ...{ sent, chainId: 324, account: `0x${'AC'.repeat(20)}`, hasOwners, createId: () => 'one', now: () => 1_000 },
    describe: (data) => ({ kind: 'lend', principal: '5', tenorDays: Number(data.length) }),
  })
  const states = () => sent.get().map(({ id, state, nonce }) => `${id.slice(0, 7)} ${state.kind} ${nonce}`)
  return { ...recorded, sent, states }
}

test('default: a request is kept before the wallet answers, and its hash at once', async () => {
  let confirm: (hash: string) => void = () => undefined
  const { provider, states, sent } = record(() => new Promise((resolve) => (confirm = resolve)))
  const sending = provider.request(call)
  await expect.poll(states).toEqual(['asked-o asked 7'])
  confirm(fakeHash.toUpperCase().replace('0X', '0x'))
  await sending
  expect(states()).toEqual([`${fakeHash.slice(0, 7)} waiting 7`])
  expect(sent.get()[0]).toMatchObject({ chainId: 324, account: `0x${'ac'.repeat(20)}`, hash: fakeHash })
  expect(sent.get()[0]?.act).toEqual({ kind: 'lend', principal: '5', tenorDays: 10 })
})

test('default: other requests pass', async () => {
  const { provider, states } = record(() => undefined)
  expect(await provider.request({ method: 'eth_call' })).toBe('read')
  expect(states()).toEqual([])
})

test('behavior: a transaction of several owners waits for their signatures', async () => {
  const { provider, states } = record(() => fakeHash, { hasOwners: true })
  await provider.request(call)
  expect(states()[0]).toContain('signing')
})

test('behavior: a batch is kept as what its last call does, by the hash that a Safe gives it', async () => {
  const answer = { id: fakeHash }
  const { provider, states, sent } = record(() => answer, { hasOwners: true })
  expect(await provider.request(batch)).toBe(answer)
  expect(states()).toEqual([`${fakeHash.slice(0, 7)} signing 7`])
  expect(sent.get()[0]?.act).toEqual({ kind: 'lend', principal: '5', tenorDays: 10 })
})

test('behavior: what waits for signatures can be cancelled, and what was sent cannot', async () => {
  const owners = record(() => fakeHash, { hasOwners: true })
  await owners.provider.request(call)
  owners.cancel()
  expect(owners.sent.get()[0]).toMatchObject({ state: { kind: 'cancelled' }, endedAtMs: 1_000 })
  const one = record(() => fakeHash)
  await one.provider.request(call)
  one.cancel()
  expect(one.states()[0]).toContain('waiting')
})

test.each([
  ['a name that is no hash', { id: 'batch-1' }],
  ['no name', null],
])('behavior: a batch with %s is only known as asked, until the action has its outcome', async (_, answer) => {
  const { provider, states, forget } = record(() => answer)
  await provider.request(batch)
  expect(states()).toEqual(['asked-o asked 7'])
  forget()
  expect(states()).toEqual([])
})

test.each([
  ['declined', { code: 4001 }],
  ['busy', { code: -32002 }],
  ['without coins', { code: -32000, message: 'insufficient funds for gas' }],
])('behavior: a wallet that is %s leaves nothing', async (_, error) => {
  const { provider, states } = record(() => Promise.reject(error))
  await expect(provider.request(call)).rejects.toBe(error)
  expect(states()).toEqual([])
})

test('error: after any other error it may have been sent, unless another source knows better', async () => {
  const { provider, states, forget } = record(() => Promise.reject({ code: -32603, message: '502 Bad Gateway' }))
  await expect(provider.request(call)).rejects.toMatchObject({ code: -32603 })
  expect(states()).toEqual(['asked-o asked 7'])
  forget()
  expect(states()).toEqual([])
})

test.each([[() => Promise.reject(new Error('down'))], [() => 'many']])(
  'error: a wallet without a nonce is asked all the same',
  async (count) => {
    const { provider, states } = record(() => fakeHash, { count })
    await provider.request(call)
    expect(states()).toEqual([`${fakeHash.slice(0, 7)} waiting undefined`])
  },
)

test('error: an answer that is no hash says nothing', async () => {
  const { provider, states } = record(() => 'ok')
  await provider.request(call)
  expect(states()).toEqual(['asked-o asked 7'])
})
