import { createCipheriv, scryptSync } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { verifyNote } from '@tallystick/core'
import { keccak256 } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openKeystoreSigner } from '../src/signers/keystore-signer.ts'
import { signNote } from '../src/signers/sign-note.ts'

// The two test vectors of the Web3 Secret Storage definition.
const password = 'testpassword'
const secret = '7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d'
const address = '0x008AeEda4D805471dF9b2A5B0f38A0C3bCBA786b'
const pbkdf2 = {
  cipher: 'aes-128-ctr',
  cipherparams: { iv: '6087dab2f9fdbbfaddc31a909735c1e6' },
  ciphertext: '5318b4d5bcd28de64ee5559e671353e16f075ecae9f99c7a79a38af5f869aa46',
  kdf: 'pbkdf2',
  kdfparams: {
    c: 262144,
    dklen: 32,
    prf: 'hmac-sha256',
    salt: 'ae3cd4e7013836a3df6bd7241b12db061dbe2c6785853cce422d148a624ce0bd',
  },
  mac: '517ead924a9d0dc3124507e3393d175ce3ff7c1e96529c6c555ce9e51205e9b2',
}
const scrypt = {
  cipher: 'aes-128-ctr',
  cipherparams: { iv: '83dbcc02d8ccb40e466191a123791e0e' },
  ciphertext: 'd172bf743a674da9cdad04534d56926ef8358534d458fffccd4e6ad2fbde479c',
  kdf: 'scrypt',
  kdfparams: {
    dklen: 32,
    n: 262144,
    p: 8,
    r: 1,
    salt: 'ab0c7876052600dd703518d6fc3fe8984592145b591fc8fb5c6d43190334ba19',
  },
  mac: '2103ac29920d71da29f15d75b4a16dbe95cfd7ff8faea1056c33131d846e3097',
}
const id = '3198bc9c-6672-5ab3-d995-4942343ae5b6'

let folder: string
let path: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tallystick-keystore-'))
  path = join(folder, 'keystore.json')
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function open(content: unknown, using = password) {
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content))
  return openKeystoreSigner({ path, password: using })
}

/** The error of opening, after a look at all it would show: never the password, the key or the password's derivative. */
async function failureOf(content: unknown, using = password): Promise<Error & { code?: string }> {
  const error = await open(content, using).then(
    () => {
      throw new Error('the keystore was opened')
    },
    (error: Error) => error,
  )
  const shown = inspect(error, { depth: null, showHidden: true }) + JSON.stringify(error) + inspect(error.cause)
  expect(shown).not.toContain(using)
  expect(shown.toLowerCase()).not.toContain(secret)
  expect(error.cause).toBeUndefined()
  expect(error).toMatchObject({ name: 'TallystickError', code: 'invalid_config', retryable: false })
  error.message = error.message.replaceAll(path, '<path>')
  return error
}

/** A keystore that costs nothing to open, written without the code under test. */
function light({ key = secret, kdfparams = {} }: { key?: string; kdfparams?: object } = {}) {
  const parameters = { n: 2, r: 1, p: 1, dklen: 32, salt: 'ab'.repeat(32), ...kdfparams }
  const { n, r, p, dklen } = parameters
  const derived = scryptSync(password, Buffer.from(parameters.salt, 'hex'), dklen, { N: n, r, p })
  const iv = 'cd'.repeat(16)
  const cipher = createCipheriv('aes-128-ctr', derived.subarray(0, 16), Buffer.from(iv, 'hex'))
  const ciphertext = Buffer.concat([cipher.update(Buffer.from(key, 'hex')), cipher.final()])
  const mac = keccak256(Buffer.concat([derived.subarray(16, 32), ciphertext])).slice(2)
  const rest = { cipher: 'aes-128-ctr', cipherparams: { iv }, ciphertext: ciphertext.toString('hex'), mac }
  return { version: 3, id, crypto: { ...rest, kdf: 'scrypt', kdfparams: parameters } }
}

test('default: opens the official pbkdf2 vector and signs with its key', () => openAndSign(pbkdf2))

test('default: opens the official scrypt vector and signs with its key', { tags: 'slow' }, () => openAndSign(scrypt))

async function openAndSign(crypto: object): Promise<void> {
  expect(privateKeyToAddress(`0x${secret}`)).toBe(address)
  const signer = await open({ version: 3, id, crypto })
  expect(signer).toMatchObject({ kind: 'keystore', address })
  const domain = { name: 'NoteSignatureVerifier', version: '1', verifyingContract: address } as const
  const terms = { chainId: 324, maturityTimestamp: 4n, coupon: 3n, startedAt: 2n, validAfter: 1n, validBefore: 3n }
  const note = await signNote(signer, { terms, domain })
  expect(await verifyNote(note, { domain, signer: address })).toEqual({ valid: true, signer: address })
}

test('behavior: reads "Crypto", as old versions of geth wrote it', async () => {
  const { crypto, ...rest } = light()
  expect((await open({ ...rest, Crypto: crypto })).address).toBe(address)
})

test('behavior: allows the memory geth requires (n 262144, r 8: 256 MiB)', { tags: 'slow' }, async () => {
  expect((await open(light({ kdfparams: { n: 16384, r: 8 } }))).address).toBe(address)
  const failure = await failureOf({
    version: 3,
    crypto: { ...scrypt, kdfparams: { ...scrypt.kdfparams, n: 262144, r: 8, p: 1 } },
  })
  expect(failure.message).toBe('The password does not decrypt the keystore <path>.')
})

test('behavior: accepts a longer derived key and upper-case hex', async () => {
  const keystore = light({ kdfparams: { dklen: 64 } })
  const { ciphertext, mac } = keystore.crypto
  const crypto = { ...keystore.crypto, ciphertext: ciphertext.toUpperCase(), mac: mac.toUpperCase() }
  expect((await open({ ...keystore, crypto })).address).toBe(address)
})

test.each([
  ['without 0x', address.slice(2).toLowerCase()],
  ['with 0x and a checksum', address],
  ['in upper case', address.slice(2).toUpperCase()],
  ['as an empty text', ''],
])('behavior: accepts a matching address: %s', async (_, stated) => {
  expect((await open({ ...light(), address: stated })).address).toBe(address)
})

test('error: rejects an address that does not match the key', async () => {
  const { message } = await failureOf({ ...light(), address: `${'0'.repeat(39)}1` })
  expect(message).toMatchInlineSnapshot(
    `"The keystore <path> names the address 0x0000000000000000000000000000000000000001, but its key belongs to 0x008AeEda4D805471dF9b2A5B0f38A0C3bCBA786b."`,
  )
})

test.each([
  ['another', 'testpasswort'],
  ['one with a line end', 'testpassword\n'],
  ['one in another case', 'Testpassword'],
])('error: reports a wrong password: %s', async (_, wrong) => {
  const { message } = await failureOf(light(), wrong)
  expect(message).toBe('The password does not decrypt the keystore <path>.')
})

test('error: rejects an empty password', async () => {
  await expect(open(light(), '')).rejects.toThrow('The password does not decrypt the keystore')
})

test.each([
  ['ciphertext', { ciphertext: `00${light().crypto.ciphertext.slice(2)}` }],
  ['mac', { mac: `00${light().crypto.mac.slice(2)}` }],
  ['salt', { kdfparams: { ...light().crypto.kdfparams, salt: 'ac'.repeat(32) } }],
])('error: rejects an altered %s', async (_, change) => {
  const keystore = light()
  const { message } = await failureOf({ ...keystore, crypto: { ...keystore.crypto, ...change } })
  expect(message).toBe('The password does not decrypt the keystore <path>.')
})

test('error: rejects a key outside the range of the curve', async () => {
  const { message } = await failureOf(light({ key: '00'.repeat(32) }))
  expect(message).toBe(
    'The signer’s private key is invalid. It must be 0x and 64 hex digits, within the range of secp256k1.',
  )
})

test.each([
  ['not JSON', '{"version":3,', 'The keystore <path> is not JSON.'],
  ['an empty file', '', 'The keystore <path> is not JSON.'],
  ['a bare key', secret, 'The keystore <path> is not JSON.'],
])('error: %s', async (_, content, expected) => {
  expect((await failureOf(content)).message).toBe(expected)
})

test.each([
  ['null', null],
  ['a list', []],
  ['a text', JSON.stringify(secret)],
  ['no crypto', { version: 3 }],
  ['version 1', { ...light(), version: 1 }],
  ['version 3 as a text', { ...light(), version: '3' }],
  ['an unknown kdf', { version: 3, crypto: { ...scrypt, kdf: 'argon2' } }],
  ['another cipher', { version: 3, crypto: { ...scrypt, cipher: 'aes-128-cbc' } }],
  ['another prf', { version: 3, crypto: { ...pbkdf2, kdfparams: { ...pbkdf2.kdfparams, prf: 'hmac-sha1' } } }],
  ['an iv too short', { version: 3, crypto: { ...scrypt, cipherparams: { iv: '83db' } } }],
  ['a ciphertext too long', { version: 3, crypto: { ...scrypt, ciphertext: `${scrypt.ciphertext}00` } }],
  ['a mac too short', { version: 3, crypto: { ...scrypt, mac: scrypt.mac.slice(2) } }],
  ['a mac that is not hex', { version: 3, crypto: { ...scrypt, mac: 'zz'.repeat(32) } }],
])('error: damaged, %s', async (_, content) => {
  expect((await failureOf(content)).message).toMatch(/^The keystore <path> is not a version 3 keystore: \w.*\.$/)
})

test('error: lists every fault of a damaged file', async () => {
  const { message } = await failureOf({ version: 4, crypto: { ...scrypt, mac: 'ab', kdfparams: { n: 3 } } })
  expect(message).toMatchInlineSnapshot(
    `"The keystore <path> is not a version 3 keystore: version: Invalid input: expected 3; crypto.mac: Too small: expected string to have exactly 64 characters; crypto.kdfparams.n: must be a power of two; crypto.kdfparams.r: Invalid input: expected number, received undefined; crypto.kdfparams.p: Invalid input: expected number, received undefined; crypto.kdfparams.dklen: Invalid input: expected number, received undefined; crypto.kdfparams.salt: Invalid input: expected string, received undefined."`,
  )
})

// Any of these, if begun, would run for minutes, ask for more memory than there is, or fail in the library's words.
test.each([
  ['n of 2^30', scrypt, { n: 2 ** 30 }, 'crypto.kdfparams: requires more than 1 GiB of memory'],
  ['n of 2^52', scrypt, { n: 2 ** 52 }, 'crypto.kdfparams: requires more than 1 GiB of memory'],
  ['one doubling above 1 GiB', scrypt, { n: 2 ** 20, r: 16 }, 'crypto.kdfparams: requires more than 1 GiB of memory'],
  ['one r above 1 GiB', scrypt, { n: 2 ** 20, r: 9 }, 'crypto.kdfparams: requires more than 1 GiB of memory'],
  ['n not a power of two', scrypt, { n: 262143 }, 'crypto.kdfparams.n: must be a power of two'],
  ['n of 1', scrypt, { n: 1 }, 'crypto.kdfparams.n: '],
  ['n of 0', scrypt, { n: 0 }, 'crypto.kdfparams.n: '],
  ['a negative n', scrypt, { n: -262144 }, 'crypto.kdfparams.n: '],
  ['a fractional n', scrypt, { n: 2.5 }, 'crypto.kdfparams.n: '],
  ['n as a text', scrypt, { n: '262144' }, 'crypto.kdfparams.n: '],
  ['r of 10^6', scrypt, { r: 1_000_000 }, 'crypto.kdfparams.r: '],
  ['r of 65', scrypt, { r: 65 }, 'crypto.kdfparams.r: '],
  ['r of 0', scrypt, { r: 0 }, 'crypto.kdfparams.r: '],
  ['p of 17', scrypt, { p: 17 }, 'crypto.kdfparams.p: '],
  ['p of 10^9', scrypt, { p: 1_000_000_000 }, 'crypto.kdfparams.p: '],
  ['a short derived key', scrypt, { dklen: 31 }, 'crypto.kdfparams.dklen: '],
  ['a huge derived key', scrypt, { dklen: 2 ** 31 }, 'crypto.kdfparams.dklen: '],
  ['c of 10^9', pbkdf2, { c: 1_000_000_000 }, 'crypto.kdfparams.c: '],
  ['c of 10^7 and one', pbkdf2, { c: 10_000_001 }, 'crypto.kdfparams.c: '],
  ['c of 0', pbkdf2, { c: 0 }, 'crypto.kdfparams.c: '],
])('error: rejects excessive parameters before any work: %s', async (_, crypto, change, expected) => {
  const hostile = { ...crypto, kdfparams: { ...crypto.kdfparams, ...change } }
  const { message } = await failureOf({ version: 3, crypto: hostile })
  expect(message).toContain(`The keystore <path> is not a version 3 keystore: ${expected}`)
})

test('error: a missing file is named with the error code', async () => {
  const missing = join(folder, 'missing.json')
  await expect(openKeystoreSigner({ path: missing, password })).rejects.toMatchObject({
    code: 'invalid_config',
    message: `The keystore ${missing} cannot be read (ENOENT).`,
  })
  await expect(openKeystoreSigner({ path: folder, password })).rejects.toThrow('cannot be read (EISDIR)')
})
