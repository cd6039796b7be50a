import { SignerError } from '../signer.ts'

type AwsError = {
  readonly name?: unknown
  readonly code?: unknown
  readonly $fault?: unknown
  readonly $metadata?: { readonly httpStatusCode?: unknown } | undefined
  /** Of a response that the SDK could not parse. */
  readonly $response?: { readonly statusCode?: unknown } | undefined
}

// The request may succeed later. The others need a change of the key, its policy or the credentials.
const temporary = [
  'ThrottlingException',
  'LimitExceededException',
  'KMSInternalException',
  'DependencyTimeoutException',
  'KeyUnavailableException',
  'InternalFailure',
  'ServiceUnavailable',
  'ServiceUnavailableException',
]

const advice: Readonly<Record<string, string>> = {
  AccessDeniedException: 'Allow kms:Sign and kms:GetPublicKey on the key for the role of the service.',
  NotFoundException: 'Check signer.keyId and the region.',
  DisabledException: 'Enable the key.',
  KMSInvalidStateException: 'The key is disabled, pending deletion or unavailable. Check its state.',
  InvalidKeyUsageException: 'The key must have the spec ECC_SECG_P256K1 and the usage SIGN_VERIFY.',
  ExpiredTokenException: 'Renew the credentials of the service.',
  UnrecognizedClientException: 'Check the credentials of the service.',
  InvalidSignatureException: 'Check the credentials of the service and the clock.',
}

/**
 * Translates an error of the SDK. Its own message and its response are left out: they may contain names of accounts and
 * users, and parts of the signed request.
 */
export function translateAwsError(error: unknown): SignerError {
  if (error instanceof SignerError) return error
  const { name, code, $fault, $metadata, $response } = error as AwsError
  const label = toLabel(name)
  if (label === 'CredentialsProviderError' || label === 'TokenProviderError') {
    return refused('No AWS credentials were found. Give the service a role, or set the variables of the AWS SDK.')
  }
  if (/region is missing/i.test((error as Error).message)) {
    return refused('AWS KMS has no region. Set signer.region, or give signer.keyId as an ARN.')
  }
  const status = Number($metadata?.httpStatusCode ?? $response?.statusCode)
  if (status >= 500 || status === 429 || temporary.includes(label)) {
    return unreachable(`AWS KMS cannot sign now (${label}, status ${status}).`)
  }
  if ($fault !== undefined && status > 0) {
    return refused(`AWS KMS refused the request (${label}, status ${status}). ${advice[label] ?? ''}`.trim())
  }
  if (typeof code === 'string') return unreachable(`AWS KMS cannot be reached (${toLabel(code)}).`)
  if (label === 'TimeoutError') return unreachable(`AWS KMS cannot be reached (${label}).`)
  return new SignerError({ failure: 'malformed', message: `AWS KMS sent a response that cannot be read (${label}).` })
}

/** Returns a name or code if it is one, since a server may send any text in its place. */
function toLabel(name: unknown): string {
  return typeof name === 'string' && /^[\w.]{1,60}$/.test(name) ? name : 'unknown error'
}

function refused(message: string): SignerError {
  return new SignerError({ failure: 'refused', message })
}

function unreachable(message: string): SignerError {
  return new SignerError({ failure: 'unreachable', message })
}
