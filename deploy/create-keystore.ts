import { createCipheriv, randomBytes, scryptSync } from 'node:crypto'
import { keccak256 } from 'viem'

/** Returns a keystore of version 3 with a new key, and weak parameters that are quick. */
export function createKeystore(password: string): string {
  const [salt, iv, key] = [randomBytes(32), randomBytes(16), randomBytes(32)]
  const derived = scryptSync(password, salt, 32, { N: 1024, r: 8, p: 1 })
  const cipher = createCipheriv('aes-128-ctr', derived.subarray(0, 16), iv)
  const ciphertext = Buffer.concat([cipher.update(key), cipher.final()])
  const mac = keccak256(Buffer.concat([derived.subarray(16, 32), ciphertext])).slice(2)
  const kdfparams = { dklen: 32, n: 1024, r: 8, p: 1, salt: salt.toString('hex') }
  const cipherparams = { iv: iv.toString('hex') }
  const crypto = {
    cipher: 'aes-128-ctr',
    cipherparams,
    ciphertext: ciphertext.toString('hex'),
    kdf: 'scrypt',
    kdfparams,
    mac,
  }
  return JSON.stringify({ version: 3, id: '00000000-0000-4000-8000-000000000000', crypto })
}
