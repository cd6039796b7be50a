import { isSafeEndpoint, type Secret } from '@tallystick/base'
import { z } from 'zod'
import { checkAuthority, checkCertificate } from './config-certificates.ts'
import { addressSchema } from './config-fields.ts'
import { type ConfigFields, type ConfigSources, httpUrl, isHttpUrl, postgresSchema } from './config-secrets.ts'

/** Signer that a planned change registers on the pool, so that the change is told apart from an attack. */
const next = addressSchema.optional()

export function signerSchema(sources: ConfigSources, fields: ConfigFields) {
  /** File of the notes that this replica signed, so that it cannot contradict itself after a database restore. */
  const journal = fields.path.prefault('.tallystick/signer-journal.jsonl')
  /** Second database, in which all replicas claim what they sign. */
  const protection = postgresSchema(sources).optional()
  const shared = { journal, protection, next }
  return z.discriminatedUnion('kind', [
    privateKeySchema(fields).extend(shared),
    keystoreSchema(fields).extend(shared),
    web3SignerSchema(sources, fields).safeExtend(shared),
    awsKmsSchema().extend(shared),
    withMetadataHost(gcpKmsSchema(fields).extend(shared), sources),
  ])
}

type Databases = { readonly database: Secret; readonly signer: { readonly protection?: Secret | undefined } }

/** Refuses the service's own database as protection: a restore of it would restore both. */
export function refuseOwnDatabase({ database, signer: { protection } }: Databases, context: z.RefinementCtx): void {
  const place = protection && locateDatabase(protection.reveal())
  if (place === undefined || place !== locateDatabase(database.reveal())) return
  const message = 'is the same database as "database": a restore of it would restore both. Use one on another server'
  context.addIssue({ code: 'custom', path: ['signer', 'protection'], message })
}

/** Returns host, port and name of a PostgreSQL database, or undefined for another URL. */
export function locateDatabase(url: string): string | undefined {
  if (!/^postgres(ql)?:/.test(url) || !URL.canParse(url)) return undefined
  const { hostname, port, pathname, username, searchParams } = new URL(url)
  const host = (searchParams.get('host') ?? hostname).toLowerCase().replace(/^(127\.0\.0\.1|\[::1\]|)$/, 'localhost')
  const name = decodeURIComponent(pathname.slice(1) || username)
  return `${host}:${searchParams.get('port') ?? (port || '5432')}/${name}`
}

/** Returns the schema of one chain's signer. All signers of a replica have one journal. */
export function chainSignerSchema(sources: ConfigSources, fields: ConfigFields) {
  return z.discriminatedUnion('kind', [
    privateKeySchema(fields).extend({ next }),
    keystoreSchema(fields).extend({ next }),
    web3SignerSchema(sources, fields).safeExtend({ next }),
    awsKmsSchema().extend({ next }),
    withMetadataHost(gcpKmsSchema(fields).extend({ next }), sources),
  ])
}

function privateKeySchema({ secret }: ConfigFields) {
  return z.strictObject({ kind: z.literal('private-key'), key: secret })
}

function keystoreSchema({ path, secret }: ConfigFields) {
  return z.strictObject({ kind: z.literal('keystore'), path, password: secret })
}

/** `tls` and `headers` authenticate the service to the signer, or to a proxy in front of it. */
function web3SignerSchema(sources: ConfigSources, { path, secret }: ConfigFields) {
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
function gcpKmsSchema({ secret }: ConfigFields) {
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
