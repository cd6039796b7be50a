import { readFileSync } from 'node:fs'
import { inspect } from 'node:util'
import type { NoteDomain, NoteTerms } from '@tallystick/core'
import { expect, test } from 'vitest'
import { createPrivateKeySigner } from './private-key-signer.ts'

const vector = JSON.parse(readFileSync(new URL('../../../core/vectors/note.json', import.meta.url), 'utf8'))
const domain: NoteDomain = vector.domain
const terms: NoteTerms = {
  chainId: vector.domain.chainId,
  maturityTimestamp: BigInt(vector.message.maturityTimestamp),
  coupon: BigInt(vector.message.coupon),
  validAfter: BigInt(vector.message.validAfter),
  validBefore: BigInt(vector.message.validBefore),
}

test('default: signs the published note to the published bytes and keeps a leading zero byte of r', async () => {
  const signer = createPrivateKeySigner(vector.privateKey)
  expect(signer.kind).toBe('private-key')
  expect(signer.address).toBe('0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1')
  expect(await signer.sign(terms, domain)).toBe(
    '0x004908135b245100403903881c2c246acd709043efb50c6d4d0e637cf20fb0eb' +
      '42738a44d1a31dd5698b82656d0a54f3d1caa6c37b0f004f5607d4a702962fc9' +
      '1c',
  )
})

test('behavior: signing the same note twice returns the same bytes', async () => {
  const signer = createPrivateKeySigner(vector.privateKey)
  expect(await signer.sign(terms, domain)).toBe(await signer.sign(terms, domain))
})

test('behavior: of several signatures at once, each has a turn of the event loop', async () => {
  const signer = createPrivateKeySigner(vector.privateKey)
  const log: unknown[] = []
  const sign = async (count: number) => {
    await signer.sign(terms, domain)
    log.push(count)
    setImmediate(() => log.push('other work'))
  }
  await Promise.all([1, 2, 3].map(sign))
  expect(log).toEqual([1, 'other work', 2, 'other work', 3])
})

test('behavior: a printed or serialised signer does not reveal its key', () => {
  const signer = createPrivateKeySigner(vector.privateKey)
  const shown = inspect(signer, { depth: null, showHidden: true }) + JSON.stringify(signer)
  expect(shown).toContain(vector.signer)
  expect(shown).not.toContain(vector.privateKey.slice(2))
})

const order = 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141'

test.each([
  ['an empty text', ''],
  ['a key without 0x', 'ab'.repeat(32)],
  ['31 bytes', `0x${'ab'.repeat(31)}`],
  ['33 bytes', `0x${'ab'.repeat(33)}`],
  ['a digit that is not hex', `0x${'ab'.repeat(31)}xy`],
  ['a space after it', `0x${'ab'.repeat(32)} `],
  ['zero', `0x${'00'.repeat(32)}`],
  ['the order of the curve', `0x${order}`],
])('error: rejects %s without repeating it', (_, key) => {
  const error = failureOf(() => createPrivateKeySigner(key))
  expect(error).toMatchObject({ code: 'invalid_config', retryable: false })
  expect(error.message).toMatchInlineSnapshot(
    `"The signer’s private key is invalid. It must be 0x and 64 hex digits, within the range of secp256k1."`,
  )
  expect(error.cause).toBeUndefined()
  if (key.length > 2) expect(inspect(error, { depth: null, showHidden: true })).not.toContain(key.slice(2).trim())
})

test('behavior: accepts the largest valid key', () => {
  const largest = `0x${(BigInt(`0x${order}`) - 1n).toString(16)}`
  expect(createPrivateKeySigner(largest).address).toMatch(/^0x[0-9a-fA-F]{40}$/)
})

function failureOf(work: () => unknown): Error {
  try {
    work()
  } catch (error) {
    return error as Error
  }
  throw new Error('nothing was thrown')
}
