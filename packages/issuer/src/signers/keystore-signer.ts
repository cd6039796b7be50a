import { createDecipheriv, pbkdf2, scrypt, timingSafeEqual } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { scryptAsync } from '@noble/hashes/scrypt.js'
import { invalidConfig } from '@tallystick/core'
import { keccak256 } from 'viem'
import { z } from 'zod'
import { createPrivateKeySigner } from './private-key-signer.ts'
import type { Signer } from './signer.ts'

const hex = z.string().regex(/^([0-9a-f]{2})+$/i)
const cipher = {
  cipher: z.literal('aes-128-ctr'),
  cipherparams: z.object({ iv: hex.length(32) }),
  ciphertext: hex.length(64),
  mac: hex.length(64),
}
// The file chooses the cost of its key derivation, so a malicious one could exhaust memory or CPU. geth writes n 262144,
// r 8, p 1 (256 MiB). Four times that is allowed.
const memoryBytesMax = 2 ** 30
const scryptParameters = z
  .object({
    n: z
      .int()
      .min(2)
      .refine((n) => (n & (n - 1)) === 0, 'must be a power of two'),
    r: z.int().min(1).max(64),
    p: z.int().min(1).max(16),
    dklen: z.int().min(32).max(64),
    salt: hex,
  })
  .refine(({ n, r }) => 128 * n * r <= memoryBytesMax, 'requires more than 1 GiB of memory')
const pbkdf2Parameters = z.object({
  c: z.int().min(1).max(10_000_000),
  prf: z.literal('hmac-sha256'),
  dklen: z.int().min(32).max(64),
  salt: hex,
})
const cryptoSchema = z.discriminatedUnion('kdf', [
  z.object({ ...cipher, kdf: z.literal('scrypt'), kdfparams: scryptParameters }),
  z.object({ ...cipher, kdf: z.literal('pbkdf2'), kdfparams: pbkdf2Parameters }),
])
const keystoreSchema = z.object({ version: z.literal(3), crypto: cryptoSchema, address: z.string().optional() })

type KeystoreOptions = {
  readonly path: string
  readonly password: string
}

/** Creates a signer from a version 3 keystore file (scrypt or pbkdf2). Decrypts the key once. */
export async function openKeystoreSigner({ path, password }: KeystoreOptions): Promise<Signer> {
  const keystore = await readKeystore(path)
  const key = await decryptKey(keystore.crypto, { path, password })
  const signer = createPrivateKeySigner(`0x${key.toString('hex')}`, 'keystore')
  const stated = keystore.address?.toLowerCase().replace(/^0x/, '')
  if (stated && stated !== signer.address.toLowerCase().slice(2)) {
    throw invalidConfig(`The keystore ${path} names the address 0x${stated}, but its key belongs to ${signer.address}.`)
  }
  return signer
}

async function readKeystore(path: string): Promise<z.output<typeof keystoreSchema>> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw invalidConfig(`The keystore ${path} cannot be read (${error.code}).`)
  })
  const value = (() => {
    try {
      return JSON.parse(text)
    } catch {
      throw invalidConfig(`The keystore ${path} is not JSON.`)
    }
  })()
  // Old versions of geth wrote "Crypto".
  const result = keystoreSchema.safeParse({ ...value, crypto: value?.crypto ?? value?.Crypto })
  if (result.success) return result.data
  const faults = result.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
  throw invalidConfig(`The keystore ${path} is not a version 3 keystore: ${faults.join('; ')}.`)
}

async function decryptKey(
  crypto: z.output<typeof cryptoSchema>,
  { path, password }: { readonly path: string; readonly password: string },
): Promise<Buffer> {
  const derived = await deriveKey(crypto, password)
  const ciphertext = Buffer.from(crypto.ciphertext, 'hex')
  const mac = Buffer.from(keccak256(Buffer.concat([derived.subarray(16, 32), ciphertext])).slice(2), 'hex')
  if (!timingSafeEqual(mac, Buffer.from(crypto.mac, 'hex'))) {
    throw invalidConfig(`The password does not decrypt the keystore ${path}.`)
  }
  const iv = Buffer.from(crypto.cipherparams.iv, 'hex')
  const decipher = createDecipheriv('aes-128-ctr', derived.subarray(0, 16), iv)
  return Buffer.concat([decipher.update(ciphertext), decipher.final()])
}

async function deriveKey(crypto: z.output<typeof cryptoSchema>, password: string): Promise<Buffer> {
  const salt = Buffer.from(crypto.kdfparams.salt, 'hex')
  if (crypto.kdf === 'pbkdf2') {
    const { c, dklen } = crypto.kdfparams
    return promisify(pbkdf2)(password, salt, c, dklen, 'sha256')
  }
  const { n, r, p, dklen } = crypto.kdfparams
  // scrypt needs 128·n·r + 128·r·p bytes. Node requires a limit above that.
  const maxmem = 128 * r * (n + p + 2)
  // OpenSSL requires n below 2^(16·r) (RFC 7914 §6). Older tools wrote files with n 2^18 and r 1.
  if (Math.log2(n) >= 16 * r)
    return Buffer.from(await scryptAsync(password, salt, { N: n, r, p, dkLen: dklen, maxmem }))
  const derive = promisify<string, Buffer, number, object, Buffer>(scrypt)
  return derive(password, salt, dklen, { N: n, r, p, maxmem })
}
