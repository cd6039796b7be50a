import { createHmac, timingSafeEqual } from 'node:crypto'

/** Secret that tokens are signed with. */
export type VisitorSecret = { readonly id: string; readonly secret: Uint8Array }

/** What a token is good for, and until when. */
export type VisitorGrant = {
  /** Origin of the page, such as `https://notes.example`. */
  readonly origin: string
  /** Unix seconds. */
  readonly expiresAt: number
}

/** Parts of a token. Nothing is known of them before `isGenuine`. */
export type VisitorToken = { readonly secretId: string; readonly expiresAt: number; readonly signature: string }

// One algorithm, which no part of the token names. The lengths are fixed, so a long text is rejected without being parsed.
const form = /^v1\.([0-9a-f]{16})\.([1-9]\d{9,10})\.([\w-]{43})$/
const lengthMax = 128

/** Creates a token: its version, the id of its secret, its expiry and a signature of these and of the origin. */
export function formatVisitorToken(secret: VisitorSecret, grant: VisitorGrant): string {
  return `v1.${secret.id}.${grant.expiresAt}.${sign(secret, grant)}`
}

/** Splits a token into its parts. Returns undefined if the text has another form. */
export function parseVisitorToken(text: string): VisitorToken | undefined {
  const [, secretId, expiresAt, signature] = (text.length <= lengthMax && form.exec(text)) || []
  if (secretId === undefined || signature === undefined) return undefined
  return { secretId, expiresAt: Number(expiresAt), signature }
}

/** Returns whether the secret has signed the token for the origin. Takes the same time wherever the signatures differ. */
export function isGenuine(
  { expiresAt, signature }: VisitorToken,
  { secret, origin }: { readonly secret: VisitorSecret; readonly origin: string },
): boolean {
  return timingSafeEqual(Buffer.from(sign(secret, { origin, expiresAt })), Buffer.from(signature))
}

function sign({ secret }: VisitorSecret, { origin, expiresAt }: VisitorGrant): string {
  return createHmac('sha256', secret).update(`tallystick visitor\n${expiresAt}\n${origin}`).digest('base64url')
}
