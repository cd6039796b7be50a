import { createPrivateKey, type KeyObject, sign } from 'node:crypto'
import { isSafeEndpoint } from '@tallystick/base'
import { invalidConfig, type TallystickError } from '@tallystick/core'
import { z } from 'zod'

/** Key of a service account, as Google's console writes it to a file. */
export type ServiceAccount = {
  readonly tokenUrl: string
  /** Returns a signed assertion (RFC 7523) for the time. */
  createAssertion(nowSeconds: number): string
}

const fileSchema = z.object({
  type: z.literal('service_account'),
  client_email: z.string().min(1),
  private_key_id: z.string().min(1),
  private_key: z.string().min(1),
  token_uri: z.string().refine(isSafeEndpoint),
})

const scope = 'https://www.googleapis.com/auth/cloudkms'
// Google's maximum. The access token has its own lifetime.
const assertionSeconds = 3_600

/** Parses the JSON file of a service account. Errors never contain any of it. */
export function parseServiceAccount(text: string): ServiceAccount {
  const { client_email, private_key_id, private_key, token_uri } = parseFile(text)
  const key = parseKey(private_key)
  return {
    tokenUrl: token_uri,
    createAssertion: (nowSeconds) => {
      const header = { alg: 'RS256', typ: 'JWT', kid: private_key_id }
      const times = { iat: nowSeconds, exp: nowSeconds + assertionSeconds }
      const claims = { iss: client_email, scope, aud: token_uri, ...times }
      const content = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
      return `${content}.${sign('sha256', Buffer.from(content), key).toString('base64url')}`
    },
  }
}

function parseFile(text: string): z.infer<typeof fileSchema> {
  const json = (() => {
    try {
      return JSON.parse(text)
    } catch {
      throw invalid('it is not JSON')
    }
  })()
  const { data, error } = fileSchema.safeParse(json)
  if (data) return data
  const members = [...new Set(error.issues.map(({ path }) => path.join('.') || 'the whole'))]
  throw invalid(`${members.join(', ')} is missing or invalid, or it is not the key of a service account`)
}

function parseKey(pem: string): KeyObject {
  try {
    const key = createPrivateKey(pem)
    if (key.asymmetricKeyType === 'rsa') return key
  } catch {
    // Reported below.
  }
  throw invalid('private_key is not an RSA key')
}

function invalid(fault: string): TallystickError {
  return invalidConfig(`signer.credentials is not the JSON key of a service account: ${fault}.`)
}
