import { isIP } from 'node:net'
import { resolve } from 'node:path'
import { billBases, billTerms } from '@tallystick/core'
import { type Address, getAddress, isAddress } from 'viem'
import { z } from 'zod'
import { adminTokensSchema, checkAdminTokens } from './admin/admin-tokens.ts'
import { checkAuthority, checkCertificate } from './config-certificates.ts'
import {
  type ConfigSources,
  databaseSchema,
  httpUrl,
  isHttpUrl,
  type Secret,
  secretSchema,
  secretUrlSchema,
} from './config-secrets.ts'

/** The shape of the configuration (DESIGN.md §5). Strict everywhere: a misspelt member is a fault, not a default. */
export function configSchema(sources: ConfigSources) {
  const path = z
    .string()
    .min(1)
    .transform((value) => resolve(sources.baseDirectory, value))
  const secret = secretSchema(sources)
  /** Where this replica keeps what it signed, so that a restored database cannot make it contradict itself. */
  const journal = path.prefault('.tallystick/signer-journal.jsonl')
  const schema = z.strictObject({
    listen: listenSchema(sources, path),
    admin: z
      .strictObject({
        host: z.string().min(1).default('127.0.0.1'),
        port: port.default(9464),
        token: secret.optional(),
        tokens: adminTokensSchema(secret),
      })
      .superRefine(checkAdminTokens, { when: isObject }),
    database: databaseSchema(sources),
    signer: z.discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('private-key'), key: secret, journal }),
      z.strictObject({ kind: z.literal('keystore'), path, password: secret, journal }),
      web3SignerSchema(sources, { path, secret, journal }),
    ]),
    tenors: z
      .array(z.int().min(1).max(3650))
      .min(1)
      .refine((tenors) => new Set(tenors).size === tenors.length, { message: 'holds a tenor twice', when: isList })
      .transform((tenors) => tenors.toSorted((a, b) => a - b))
      .default([7, 14, 30, 60, 90, 180, 360]),
    curve: curveSchema.default({ source: 'manual' }),
    rails: z
      .strictObject({
        maxMoveBps: z.int().min(0).max(10_000).default(100),
        /** Against every coupon on offer in the 24 hours before; one and a half times `maxMoveBps` if left out. */
        maxMoveBpsPerDay: z.int().min(0).max(100_000).optional(),
        /** Against every coupon on offer in the 7 days before; two and a half times `maxMoveBps` if left out. */
        maxMoveBpsPerWeek: z.int().min(0).max(100_000).optional(),
        /** A curve set by hand that moves a coupon further needs the approval of a second name; off if left out. */
        fourEyesAboveBps: z.int().min(0).max(10_000).optional(),
        signAheadSeconds: z
          .int()
          .min(0)
          .max(6 * 3600)
          .default(600),
        /** Whether the pool has to take a set before it is published, where an RPC is configured. */
        preflight: z.enum(['require', 'warn', 'off']).default('warn'),
        /** After a key leak: notes that another signer than the configured one made are not handed out. */
        earlierSigner: z.enum(['serve', 'withhold']).default('serve'),
      })
      .transform((rails) => ({
        ...rails,
        maxMoveBpsPerDay: rails.maxMoveBpsPerDay ?? Math.ceil(rails.maxMoveBps * 1.5),
        maxMoveBpsPerWeek: rails.maxMoveBpsPerWeek ?? Math.ceil(rails.maxMoveBps * 2.5),
      }))
      .prefault({}),
    data: dataSchema.prefault({}),
    chains: z.array(chainSchema(sources, secret)).min(1).superRefine(refuseRepeatedChains, { when: isList }),
  })
  return schema.superRefine(refuseUncheckedChains, { when: isObject }).transform(({ listen, ...config }) => {
    const publicQueryMsPerMinute = choosePublicBudget(listen, config.database)
    return { ...config, listen: { ...listen, publicQueryMsPerMinute } }
  })
}

const port = z.int().min(0).max(65_535)
const address = z
  .string()
  .refine((value) => isAddress(value), 'must be an address: 0x and 40 hex digits, with a right checksum if mixed case')
  .transform((value): Address => getAddress(value))
/** Treasury rates that old on the day of a period are the last that are signed, unless the configuration says other. */
export const maxAgeBusinessDaysDefault = 2

const plausibilitySchema = z.strictObject({
  source: z.literal('sofr'),
  /** How far a bill of up to 8 weeks may be from SOFR, either way. */
  bandBps: z.int().min(1).max(10_000),
  url: httpUrl.default('https://markets.newyorkfed.org/api/rates/secured/sofr/last/1.json'),
  /** A SOFR further than this from the day of the rates is not compared. */
  maxAgeBusinessDays: z.int().min(1).max(30).default(5),
})

const curveSchema = z.discriminatedUnion('source', [
  z.strictObject({ source: z.literal('manual') }),
  z.strictObject({
    source: z.literal('treasury'),
    basis: z.enum(billBases),
    spreadBps: z.int().min(-10_000).max(10_000),
    url: httpUrl.default('https://home.treasury.gov/resource-center/data-chart-center/interest-rates/pages/xml'),
    /** The bills that make the curve, in weeks; all that are published if left out. */
    bills: z
      .array(z.literal(billTerms))
      .min(1)
      .refine((bills) => new Set(bills).size === bills.length, { message: 'holds a bill twice', when: isList })
      .optional(),
    /** A curve older than this on the day of a period is not signed. The day period never has rates younger than 1. */
    maxAgeBusinessDays: z.int().min(1).max(10).default(maxAgeBusinessDaysDefault),
    timeoutMs: z.int().min(100).max(60_000).default(10_000),
    /** A second source that the rates are compared with before they are taken. */
    plausibility: plausibilitySchema.optional(),
  }),
])

const dataSchema = z.strictObject({
  /** What a request may take in all, its slowest chain included. */
  timeoutMs: z.int().min(100).max(120_000).default(10_000),
  /** After how long without an answer the next URL is asked as well; null is never. */
  hedgeMs: z.int().min(1).max(120_000).nullable().default(500),
  /** How old the knowledge of a remote subgraph's head may be for an answer to be used again. */
  pollMs: z.int().min(0).max(60_000).default(2_000),
  /** Behind by more than this, another URL is preferred if there is one. */
  maxLagSeconds: z.int().min(1).default(300),
  /** The largest answer taken from an upstream. */
  answerBytesMax: z
    .int()
    .min(1_024)
    .max(256 * 1024 * 1024)
    .default(8 * 1024 * 1024),
  /** What all answers kept for reuse may take together; 0 keeps none. */
  cacheBytesMax: z
    .int()
    .min(0)
    .default(64 * 1024 * 1024),
})

function chainSchema(sources: ConfigSources, secret: z.ZodType<Secret, string>) {
  const url = secretUrlSchema(sources)
  return z
    .strictObject({
      id: z.int().min(1),
      name: z.string().min(1),
      pool: address,
      domain: z
        .strictObject({
          name: z.string().min(1).default('NoteSignatureVerifier'),
          version: z.string('must be a string: a number would change the hash').min(1).default('1'),
        })
        .prefault({}),
      maxCouponBps: z.int().min(1).max(10_000).default(1000),
      minMaturitySeconds: z.int().min(0).default(172_800),
      rpc: z.array(url).default([]),
      subgraph: subgraphSchema({ secret, url }).optional(),
    })
    .refine(({ subgraph, rpc }) => subgraph?.embedded === undefined || rpc.length > 0, {
      path: ['rpc'],
      message: 'must name at least one RPC: the embedded subgraph is read from it',
    })
    .transform(({ pool, domain, ...chain }) => ({ ...chain, domain: { ...domain, verifyingContract: pool } }))
}

function subgraphSchema({
  secret,
  url,
}: {
  readonly secret: z.ZodType<Secret, string>
  readonly url: z.ZodType<string, string>
}) {
  return z
    .strictObject({
      urls: z.array(url).min(1).optional(),
      headers: z.record(z.string(), secret).optional(),
      embedded: z.strictObject({ positions: address, startBlock: z.int().min(0).default(0) }).optional(),
    })
    .refine(({ urls, embedded }) => (urls === undefined) !== (embedded === undefined), {
      message: 'must have either "urls" or "embedded"',
      when: isObject,
    })
}

function listenSchema(sources: ConfigSources, path: z.ZodType<string, string>) {
  const tls = z.strictObject({ cert: path, key: path }).superRefine((files, context) => {
    if (sources.secrets === 'required') checkCertificate(files, context)
  })
  const network = z.string().refine(isNetwork, 'must be an IP address or a network such as "10.0.0.0/8"')
  return z
    .strictObject({
      host: z.string().min(1).default('0.0.0.0'),
      port: port.default(8443),
      publicRpm: z.int().min(1).max(1_000_000).nullable().default(600),
      /** What the queries of an address may take together; left out, see `choosePublicBudget`. */
      publicQueryMsPerMinute: z.int().min(1).max(6_000_000).nullable().optional(),
      /** Connections open at a time; left out, as many as the limit of open files allows (`choose-bounds.ts`). */
      connectionsMax: z.int().min(1).max(1_000_000).optional(),
      /** Those of one IPv4 address or one IPv6 /64; null is without limit. Trusted proxies have none. */
      connectionsPerAddressMax: z.int().min(1).max(1_000_000).nullable().default(100),
      /** How long connections are served after the signal to stop, with /readyz at 503. */
      lameDuckSeconds: z.int().min(0).max(300).default(5),
      tls: tls.optional(),
      proxy: z.strictObject({ trust: z.array(network).min(1) }).optional(),
    })
    .refine((listen) => (listen.tls === undefined) !== (listen.proxy === undefined), {
      message: 'must have either "tls" (this service ends TLS) or "proxy" (a trusted proxy in front of it does)',
      when: isObject,
    })
}

// A sixth of a processor, a thousand times what one common query takes.
const publicQueryMsDefault = 10_000
// The embedded database runs in the thread that serves the notes: less than the twentieth that a 95th percentile sees.
const publicQueryMsDefaultEmbedded = 1_500

type Listen = { readonly publicRpm: number | null; readonly publicQueryMsPerMinute?: number | null | undefined }

function choosePublicBudget({ publicRpm, publicQueryMsPerMinute: given }: Listen, database: Secret): number | null {
  if (given !== undefined) return given
  if (publicRpm === null) return null
  return database.reveal().startsWith('file:') ? publicQueryMsDefaultEmbedded : publicQueryMsDefault
}

/** `tls` and `headers` are what the signer, or a proxy in front of it, knows the service by. */
function web3SignerSchema(
  sources: ConfigSources,
  {
    path,
    secret,
    journal,
  }: {
    readonly path: z.ZodType<string, string>
    readonly secret: z.ZodType<Secret, string>
    readonly journal: z.ZodPrefault<z.ZodType<string, string>>
  },
) {
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
  return z
    .strictObject({
      kind: z.literal('web3signer'),
      url: httpUrl,
      address,
      journal,
      tls: tls.optional(),
      headers: z.record(z.string().regex(/^[\w-]+$/, 'is no name of a header'), secret).optional(),
    })
    .refine(({ tls, url }) => tls === undefined || !isHttpUrl(url) || url.startsWith('https:'), {
      path: ['url'],
      message: 'must be an https URL: "tls" is of no use without',
    })
}

function refuseRepeatedChains(chains: readonly { readonly id: number }[], context: z.RefinementCtx): void {
  chains.forEach(({ id }, index) => {
    if (chains.findIndex((chain) => chain.id === id) === index) return
    context.addIssue({ code: 'custom', path: [index, 'id'], message: `chain ${id} is configured twice` })
  })
}

/** Also looks at what has other faults, so it takes nothing for granted. */
function refuseUncheckedChains(value: unknown, context: z.RefinementCtx): void {
  const { rails, chains } = value as { rails?: { preflight?: unknown }; chains?: readonly { rpc?: unknown }[] }
  if (rails?.preflight !== 'require' || !Array.isArray(chains)) return
  chains.forEach((chain, index) => {
    if (!Array.isArray(chain?.rpc) || chain.rpc.length > 0) return
    const message = 'must name at least one RPC: rails.preflight is "require", and the pool is asked through it'
    context.addIssue({ code: 'custom', path: ['chains', index, 'rpc'], message })
  })
}

// Zod passes over a check of the whole when a part is wrong; these make it run, so that every fault is listed at once.
function isList({ value }: { readonly value: unknown }): boolean {
  return Array.isArray(value)
}

function isObject({ value }: { readonly value: unknown }): boolean {
  return typeof value === 'object' && value !== null
}

function isNetwork(value: string): boolean {
  const [ip = '', prefix, ...rest] = value.split('/')
  const version = isIP(ip)
  if (version === 0 || rest.length > 0) return false
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128))
}
