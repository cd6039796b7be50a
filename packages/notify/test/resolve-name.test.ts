import { createSocket } from 'node:dgram'
import { isIPv6 } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createAddressPolicy } from '../src/hooks/address-policy.ts'
import { createResolveName } from '../src/hooks/resolve-name.ts'
import { createSender } from '../src/hooks/send-request.ts'

type Answer = { readonly addresses?: readonly string[]; readonly code?: number } | 'silence'

const noSuchName = 3
const serverFailure = 2

/** Starts a real DNS server (RFC 1035) on UDP. Returns the resolver that asks it. */
async function startDns(answerOf: (type: 'A' | 'AAAA') => Answer) {
  const socket = createSocket('udp4')
  socket.on('message', (query, { port, address }) => {
    // The question follows the header of 12 bytes: labels, a zero, type and class.
    const end = query.indexOf(0, 12) + 5
    const type = query.readUInt16BE(end - 4) === 28 ? 'AAAA' : 'A'
    const answer = answerOf(type)
    if (answer === 'silence') return
    const { addresses = [], code = 0 } = answer
    const header = Buffer.from(query.subarray(0, 12))
    header.writeUInt16BE(0x8180 | code, 2)
    header.writeUInt16BE(addresses.length, 6)
    header.writeUInt32BE(0, 8)
    socket.send(Buffer.concat([header, query.subarray(12, end), ...addresses.map(encodeRecord)]), port, address)
  })
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  onTestFinished(() => void socket.close())
  return createResolveName({ servers: [`127.0.0.1:${socket.address().port}`], timeout: 250 })
}

function encodeRecord(address: string): Buffer {
  const data = isIPv6(address)
    ? Buffer.from(address.replaceAll(':', ''), 'hex')
    : Buffer.from(address.split('.').map(Number))
  // Pointer to the question's name, type, class IN, 60 s, length.
  const head = Buffer.from([0xc0, 12, 0, isIPv6(address) ? 28 : 1, 0, 1, 0, 0, 0, 60, 0, data.length])
  return Buffer.concat([head, data])
}

const ipv6 = '2606:4700:0000:0000:0000:0000:0000:1111'

test('default: the addresses of both families', async () => {
  const resolve = await startDns((type) => ({ addresses: type === 'A' ? ['1.1.1.1', '1.0.0.1'] : [ipv6] }))
  expect((await resolve('receiver.test')).toSorted()).toEqual(['1.0.0.1', '1.1.1.1', '2606:4700::1111'])
})

test('behavior: one family is enough', async () => {
  const resolve = await startDns((type) => (type === 'A' ? { addresses: ['1.1.1.1'] } : { code: serverFailure }))
  expect(await resolve('receiver.test')).toEqual(['1.1.1.1'])
})

test.each([
  ['no such name', { code: noSuchName }, 'the name receiver.test has no address in DNS'],
  ['no address', {}, 'the name receiver.test has no address in DNS'],
  ['a failing server', { code: serverFailure }, 'the name receiver.test cannot be resolved: DNS failed (ESERVFAIL)'],
  ['a silent server', 'silence', 'the name receiver.test cannot be resolved: DNS failed (ETIMEOUT)'],
] as const)('error: %s is named', async (_, answer, message) => {
  const resolve = await startDns(() => answer)
  await expect(resolve('receiver.test')).rejects.toThrow(message)
})

test('error: a request to a name with a private address in DNS is refused', async () => {
  const resolve = await startDns((type) => ({ addresses: type === 'A' ? ['1.1.1.1', '169.254.169.254'] : [] }))
  const sender = createSender({ policy: createAddressPolicy({ allowPrivate: [] }), resolve })
  const post = sender.post({
    ...{ url: 'https://receiver.test/', headers: {}, body: Buffer.from('{}'), signal: new AbortController().signal },
  })
  await expect(post).rejects.toThrow('the name receiver.test resolves to 169.254.169.254, a link-local address')
})
