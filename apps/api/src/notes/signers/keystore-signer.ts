import { createDecipheriv, pbkdf2, scrypt, timingSafeEqual } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { scryptAsync } from '@noble/hashes/scrypt.js'
import { TallystickError } from '@tallystick/core'
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
// The file says how hard its own password is to try, so a hostile one could ask for all memory or for a year. geth
// writes n 262144, r 8, p 1 (256 MiB); four times that is let through.
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
  .refine(({ n, r }) => 128 * n * r <= memoryBytesMax, 'asks for more than 1 GiB of memory')
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

/** A signer whose key is unlocked once, at start, from a keystore file of version 3 (scrypt or pbkdf2). */
export async function openKeystoreSigner({
  path,
  password,
}: {
  readonly path: string
  readonly password: string
}): Promise<Signer> {
  const keystore = await readKeystore(path)
  const key = await decryptKey(keystore.crypto, { path, password })
  const signer = createPrivateKeySigner(`0x${key.toString('hex')}`, 'keystore')
  const stated = keystore.address?.toLowerCase().replace(/^0x/, '')
  if (stated && stated !== signer.address.toLowerCase().slice(2)) {
    throw invalid(`${path} states the address 0x${stated}, but its key is that of ${signer.address}.`)
  }
  return signer
}

async function readKeystore(path: string): Promise<z.output<typeof keystoreSchema>> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw invalid(`The keystore ${path} cannot be read (${error.code}).`)
  })
  const value = (() => {
    try {
      return JSON.parse(text)
    } catch {
      throw invalid(`The keystore ${path} is not JSON.`)
    }
  })()
  // geth wrote "Crypto" once, and such files are still about.
  const result = keystoreSchema.safeParse({ ...value, crypto: value?.crypto ?? value?.Crypto })
  if (result.success) return result.data
  const faults = result.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
  throw invalid(`The keystore ${path} is not of version 3: ${faults.join('; ')}.`)
}

async function decryptKey(
  crypto: z.output<typeof cryptoSchema>,
  { path, password }: { readonly path: string; readonly password: string },
): Promise<Buffer> {
  const derived = await deriveKey(crypto, password)
  const ciphertext = Buffer.from(crypto.ciphertext, 'hex')
  const mac = Buffer.from(keccak256(Buffer.concat([derived.subarray(16, 32), ciphertext])).slice(2), 'hex')
  if (!timingSafeEqual(mac, Buffer.from(crypto.mac, 'hex'))) {
    throw invalid(`The password does not open the keystore ${path}.`)
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
  // Node refuses what reaches its limit, so the limit lies above what scrypt needs: 128·n·r, and 128·r·p beside it.
  const maxmem = 128 * r * (n + p + 2)
  // OpenSSL takes only n below 2^(16·r), as RFC 7914 §6 has it; older tools wrote files with n 2^18 and r 1.
  if (Math.log2(n) >= 16 * r)
    return Buffer.from(await scryptAsync(password, salt, { N: n, r, p, dkLen: dklen, maxmem }))
  const derive = promisify<string, Buffer, number, object, Buffer>(scrypt)
  return derive(password, salt, dklen, { N: n, r, p, maxmem })
}

function invalid(message: string): TallystickError {
  return new TallystickError({ code: 'invalid_config', message, retryable: false })
}
