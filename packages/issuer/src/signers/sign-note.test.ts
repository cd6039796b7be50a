import { readFileSync } from 'node:fs'
import type { Note, NoteDomain } from '@tallystick/core'
import { toHex } from 'viem'
import { expect, test } from 'vitest'
import { createPrivateKeySigner } from './private-key-signer.ts'
import { signNote } from './sign-note.ts'
import { type Signer, SignerError } from './signer.ts'

const vector = JSON.parse(readFileSync(new URL('../../../core/vectors/note.json', import.meta.url), 'utf8'))
const domain: NoteDomain = {
  name: vector.domain.name,
  version: vector.domain.version,
  verifyingContract: vector.domain.verifyingContract,
}
const terms: Omit<Note, 'signature'> = {
  chainId: vector.domain.chainId,
  maturityTimestamp: BigInt(vector.message.maturityTimestamp),
  coupon: BigInt(vector.message.coupon),
  startedAt: 1737522000n,
  validAfter: BigInt(vector.message.validAfter),
  validBefore: BigInt(vector.message.validBefore),
}
const r: string = vector.signature.r.slice(2)
const s: string = vector.signature.s.slice(2)
const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const highS = toHex(order - BigInt(`0x${s}`), { size: 32 }).slice(2)

const own = createPrivateKeySigner(vector.privateKey)

/** A signer of the vector's address that answers with whatever it is told to. */
function answering(hex: string): Signer {
  return { kind: 'web3signer', address: own.address, sign: async () => hex }
}

test('default: returns the note with its signature split in three parts', async () => {
  expect(await signNote(own, { terms, domain })).toEqual({ ...terms, signature: vector.signature })
})

test('behavior: upper-case hex is converted to lower case', async () => {
  const note = await signNote(answering(`0x${r.toUpperCase()}${s.toUpperCase()}1C`), { terms, domain })
  expect(note.signature).toEqual(vector.signature)
})

test.each([
  ['high s', `0x${r}${highS}1b`, 's is in the upper half of the curve order'],
  ['v 0', `0x${r}${s}00`, 'v is 0, not 27 or 28'],
  ['v 1', `0x${r}${s}01`, 'v is 1, not 27 or 28'],
  ['v 29', `0x${r}${s}1d`, 'v is 29, not 27 or 28'],
  ['64 bytes (EIP-2098)', `0x${r}${s}`, 'it is not 65 bytes of hex'],
  ['66 bytes', `0x${r}${s}1c1c`, 'it is not 65 bytes of hex'],
  ['r without its leading zero byte', `0x${r.slice(2)}${s}1c`, 'it is not 65 bytes of hex'],
  ['no 0x', `${r}${s}1c`, 'it is not 65 bytes of hex'],
  ['a line end', `0x${r}${s}1c\n`, 'it is not 65 bytes of hex'],
  ['an empty text', '', 'it is not 65 bytes of hex'],
  ['garbage', 'signed, sincerely yours', 'it is not 65 bytes of hex'],
])('error: %s is malformed', async (_, hex, fault) => {
  const error = await signNote(answering(hex), { terms, domain }).catch((error) => error)
  expect(error).toBeInstanceOf(SignerError)
  expect(error).toMatchObject({ failure: 'malformed', code: 'signer_failed', retryable: true })
  expect(error.message).toBe(
    `The signer returned a signature that the pool would refuse: ${fault}. Nothing was published.`,
  )
})

test.each([
  ['the other v', `0x${r}${s}1b`],
  ['s one off', `0x${r}${toHex(BigInt(`0x${s}`) + 1n, { size: 32 }).slice(2)}1c`],
  ['r zero', `0x${'00'.repeat(32)}${s}1c`],
  ['r beyond the order', `0x${'ff'.repeat(32)}${s}1c`],
  ['s zero', `0x${r}${'00'.repeat(32)}1c`],
])('error: %s is rejected as a signature by another key', async (_, hex) => {
  const error = await signNote(answering(hex), { terms, domain }).catch((error) => error)
  expect(error).toBeInstanceOf(SignerError)
  expect(error).toMatchObject({ failure: 'wrong_key', details: { failure: 'wrong_key' } })
})

test('error: a signature by another key names both addresses', async () => {
  const other = createPrivateKeySigner(`0x${'02'.repeat(32)}`)
  const signing = signNote({ ...other, address: own.address }, { terms, domain })
  await expect(signing).rejects.toThrowErrorMatchingInlineSnapshot(
    `[SignerError: The private-key signer returned a signature by another key: signed by 0x5050A4F4b3f9338C3472dcC01A87C76A144b3c9c, not by 0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1. Nothing was published. Check the signer's key.]`,
  )
})

test.each([
  ['chain', { terms: { ...terms, chainId: 325 }, domain }],
  ['coupon', { terms: { ...terms, coupon: terms.coupon + 1n }, domain }],
  ['window', { terms: { ...terms, validBefore: terms.validBefore + 1n }, domain }],
  ['pool', { terms, domain: { ...domain, verifyingContract: own.address } }],
  ['version of the domain', { terms, domain: { ...domain, version: '2' } }],
])('error: a signature for another %s is rejected', async (_, other) => {
  const hex = await own.sign(other.terms, other.domain)
  await expect(signNote(answering(hex), { terms, domain })).rejects.toMatchObject({ failure: 'wrong_key' })
})

test('error: errors of the signer are rethrown unchanged', async () => {
  const outage = new SignerError({ failure: 'timeout', message: 'no answer' })
  const signer: Signer = { ...own, sign: () => Promise.reject(outage) }
  await expect(signNote(signer, { terms, domain })).rejects.toBe(outage)
})
