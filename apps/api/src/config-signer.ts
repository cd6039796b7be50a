import { z } from 'zod'
import { checkAuthority, checkCertificate } from './config-certificates.ts'
import { addressSchema, isSafeEndpoint } from './config-fields.ts'
import { type ConfigSources, httpUrl, isHttpUrl, type Secret } from './config-secrets.ts'

type SignerFields = {
  readonly path: z.ZodType<string, string>
  readonly secret: z.ZodType<Secret, string>
}

/** Signer that a planned change registers on the pool, so that the change is told apart from an attack. */
const next = addressSchema.optional()

export function signerSchema(sources: ConfigSources, fields: SignerFields) {
  /** File of the notes that this replica signed, so that it cannot contradict itself after a database restore. */
  const journal = fields.path.prefault('.tallystick/signer-journal.jsonl')
  return z.discriminatedUnion('kind', [
    privateKeySchema(fields).extend({ journal, next }),
    keystoreSchema(fields).extend({ journal, next }),
    web3SignerSchema(sources, fields).safeExtend({ journal, next }),
    awsKmsSchema().extend({ journal, next }),
    withMetadataHost(gcpKmsSchema(fields).extend({ journal, next }), sources),
  ])
}

/** Returns the schema of one chain's signer. All signers of a replica have one journal. */
export function chainSignerSchema(sources: ConfigSources, fields: SignerFields) {
  return z.discriminatedUnion('kind', [
    privateKeySchema(fields).extend({ next }),
    keystoreSchema(fields).extend({ next }),
    web3SignerSchema(sources, fields).safeExtend({ next }),
    awsKmsSchema().extend({ next }),
    withMetadataHost(gcpKmsSchema(fields).extend({ next }), sources),
  ])
}

function privateKeySchema({ secret }: SignerFields) {
  return z.strictObject({ kind: z.literal('private-key'), key: secret })
}

function keystoreSchema({ path, secret }: SignerFields) {
  return z.strictObject({ kind: z.literal('keystore'), path, password: secret })
}

/** `tls` and `headers` authenticate the service to the signer, or to a proxy in front of it. */
function web3SignerSchema(sources: ConfigSources, { path, secret }: SignerFields) {
  const tls = z
    .strictObject({ cert: path.optional(), key: path.optional(), ca: path.optional() })
    .superRefine(({ cert, key, ca }, context) => {
      if ((cert === undefined) !== (key === undefined)) {
        context.addIssue({ code: 'custom', message: 'must have both "cert" and "key", or neither' })
      }
      if (sources.secrets !== 'required') return
      if (cert !== undefined && key !== undefined) checkCertificate({ cert, key }, context)
      if (ca !== undefined) checkAuthority(ca, context)
    })
    .meta({ dependencies: { cert: ['key'], key: ['cert'] } })
  return z
    .strictObject({
      kind: z.literal('web3signer'),
      url: httpUrl,
      address: addressSchema,
      tls: tls.optional(),
      headers: z.record(z.string().regex(/^[\w-]+$/, 'is not a valid header name'), secret).optional(),
    })
    .refine(({ tls, url }) => tls === undefined || !isHttpUrl(url) || url.startsWith('https:'), {
      path: ['url'],
      message: 'must be an https URL: "tls" has no effect over http',
    })
}

const endpointSchema = z
  .string()
  .refine(isSafeEndpoint, 'must be an https URL without a user name, password, query or fragment in it')
  .meta({ pattern: '^https?:' })

/** Key id, alias, or the ARN of one. */
export const awsKeySchema = z
  .string()
  .regex(
    /^(arn:[\w-]+:kms:[\w-]+:\d+:(key|alias)\/[\w/-]+|alias\/[\w/-]+|[\w-]+)$/,
    'must be a key id, an alias ("alias/…") or the ARN of one',
  )

/** Resource name of a key version. */
export const gcpKeySchema = z
  .string()
  .regex(
    /^projects\/[\w:.-]+\/locations\/[\w-]+\/keyRings\/[\w-]+\/cryptoKeys\/[\w-]+\/cryptoKeyVersions\/[1-9]\d*$/,
    'must be the resource name of a key version: "projects/…/locations/…/keyRings/…/cryptoKeys/…/cryptoKeyVersions/1"',
  )

/** The AWS SDK finds the credentials itself, so they are not configured here. */
function awsKmsSchema() {
  return z.strictObject({
    kind: z.literal('aws-kms'),
    keyId: awsKeySchema,
    region: z
      .string()
      .regex(/^[a-z0-9-]+$/, 'must be a region such as "eu-central-1"')
      .optional(),
    endpoint: endpointSchema.optional(),
    address: addressSchema.optional(),
  })
}

/** Without `credentials`, the metadata server of the machine has them. */
function gcpKmsSchema({ secret }: SignerFields) {
  return z.strictObject({
    kind: z.literal('gcp-kms'),
    key: gcpKeySchema,
    credentials: secret.optional(),
    endpoint: endpointSchema.optional(),
    address: addressSchema.optional(),
  })
}

/** Adds the host of the metadata server, which Google's own libraries take from this variable too. */
function withMetadataHost<Schema extends ReturnType<typeof gcpKmsSchema>>(schema: Schema, { env }: ConfigSources) {
  const metadataHost = env['GCE_METADATA_HOST'] || undefined
  return schema.transform((config) => ({ ...config, metadataHost }))
}
