import { resolve } from 'node:path'
import type { Secret } from '@tallystick/base'
import { billBases, billTerms } from '@tallystick/core'
import { maxAgeBusinessDaysDefault } from '@tallystick/issuer'
import { z } from 'zod'
import { adminTokensSchema, checkAdminTokens } from './admin-tokens.ts'
import { chainsSchema, refuseLargeSets, refuseUncheckedChains, resolveOffers } from './config-chains.ts'
import { addressSchema, isList, isObject, networkSchema, portSchema, tenorsSchema } from './config-fields.ts'
import { listenSchema } from './config-listen.ts'
import { logSchema } from './config-log.ts'
import { portalSchema } from './config-portal.ts'
import { type ConfigSources, databaseSchema, httpUrl, secretSchema, secretUrlSchema } from './config-secrets.ts'
import { refuseOwnDatabase, signerSchema } from './config-signer.ts'

/** Returns the schema of the configuration. Objects are strict: a misspelt member is a fault, not a default. */
export function configSchema(sources: ConfigSources) {
  const path = z
    .string()
    .min(1)
    .transform((value) => resolve(sources.baseDirectory, value))
  const secret = secretSchema(sources)
  const schema = z.strictObject({
    /** JSON Schema of this file, for editors. The service does not read it. */
    $schema: z.string().optional(),
    listen: listenSchema(sources, path),
    admin: adminSchema(secret),
    database: databaseSchema(sources),
    signer: signerSchema(sources, { path, secret }),
    tenors: tenorsSchema.default(tenorsDefault),
    curve: curveSchema,
    log: logSchema(sources, { path, secret }),
    rails: railsSchema,
    data: dataSchema,
    hooks: hooksSchema,
    ens: ensSchema(sources),
    portal: portalSchema,
    chains: chainsSchema(sources, { path, secret }),
  })
  return schema
    .superRefine(refuseUncheckedChains, { when: isObject })
    .superRefine(refuseLargeSets)
    .superRefine(refuseOwnDatabase)
    .transform(({ $schema, ...config }) => ({ ...config, ...resolveOffers(config) }))
}

const hasRoleAll = { properties: { roles: { contains: { const: 'all' } } } }

function adminSchema(secret: z.ZodType<Secret, string>) {
  return z
    .strictObject({
      host: z.string().min(1).default('127.0.0.1'),
      port: portSchema.default(9464),
      token: secret.optional(),
      tokens: adminTokensSchema(secret),
    })
    .superRefine(checkAdminTokens, { when: isObject })
    .meta({
      anyOf: [{ required: ['token'] }, { required: ['tokens'], properties: { tokens: { contains: hasRoleAll } } }],
    })
}

const tenorsDefault = [7, 14, 30, 60, 90, 180, 360]

const plausibilitySchema = z.strictObject({
  source: z.literal('sofr'),
  /** Greatest difference between a bill of up to 8 weeks and SOFR. */
  bandBps: z.int().min(1).max(10_000),
  url: httpUrl.default('https://markets.newyorkfed.org/api/rates/secured/sofr/last/1.json'),
  /** A SOFR further than this from the day of the rates is not compared. */
  maxAgeBusinessDays: z.int().min(1).max(30).default(5),
})

const curveSchema = z
  .discriminatedUnion('source', [
    z.strictObject({ source: z.literal('manual') }),
    z.strictObject({
      source: z.literal('treasury'),
      basis: z.enum(billBases),
      spreadBps: z.int().min(-10_000).max(10_000),
      url: httpUrl.default('https://home.treasury.gov/resource-center/data-chart-center/interest-rates/pages/xml'),
      /** Bills of the curve, in weeks. Default: all that are published. */
      bills: z
        .array(z.literal(billTerms))
        .min(1)
        .refine((bills) => new Set(bills).size === bills.length, { message: 'contains a bill twice', when: isList })
        .meta({ uniqueItems: true })
        .optional(),
      /** A curve older than this on the day of a period is not signed. The day period never has rates younger than 1. */
      maxAgeBusinessDays: z.int().min(1).max(10).default(maxAgeBusinessDaysDefault),
      timeoutMs: z.int().min(100).max(60_000).default(10_000),
      /** Second source that the rates are compared with before they are used. */
      plausibility: plausibilitySchema.optional(),
    }),
  ])
  .default({ source: 'manual' })

const railsSchema = z
  .strictObject({
    maxMoveBps: z.int().min(0).max(10_000).default(100),
    /** Against every coupon of the last 24 hours. Default: 1.5 times `maxMoveBps`. */
    maxMoveBpsPerDay: z.int().min(0).max(100_000).optional(),
    /** Against every coupon of the last 7 days. Default: 2.5 times `maxMoveBps`. */
    maxMoveBpsPerWeek: z.int().min(0).max(100_000).optional(),
    /** A manual curve that moves a coupon further needs the approval of a second person. Default: off. */
    fourEyesAboveBps: z.int().min(0).max(10_000).optional(),
    signAheadSeconds: z
      .int()
      .min(0)
      .max(6 * 3600)
      .default(600),
    /** Whether the pool must accept a set before it is published, on chains with an RPC. */
    preflight: z.enum(['require', 'warn', 'off']).default('warn'),
    /** After a key leak: notes of a signer other than the configured one are withheld. */
    earlierSigner: z.enum(['serve', 'withhold']).default('serve'),
  })
  .transform((rails) => ({
    ...rails,
    maxMoveBpsPerDay: rails.maxMoveBpsPerDay ?? Math.ceil(rails.maxMoveBps * 1.5),
    maxMoveBpsPerWeek: rails.maxMoveBpsPerWeek ?? Math.ceil(rails.maxMoveBps * 2.5),
  }))
  .prefault({})

const dataSchema = z
  .strictObject({
    /** Time limit of a whole request, slowest chain included. */
    timeoutMs: z.int().min(100).max(120_000).default(10_000),
    /** Delay after which the next URL is queried as well. Null is never. */
    hedgeMs: z.int().min(1).max(120_000).nullable().default(500),
    /** Greatest age of a remote subgraph's known head for a cached answer to be used. */
    pollMs: z.int().min(0).max(60_000).default(2_000),
    /** A URL that lags more is used only if no other is available. */
    maxLagSeconds: z.int().min(1).default(300),
    /** Largest answer accepted from an upstream. */
    answerBytesMax: z
      .int()
      .min(1_024)
      .max(256 * 1024 * 1024)
      .default(8 * 1024 * 1024),
    /** Size of the answer cache. 0 disables it. */
    cacheBytesMax: z
      .int()
      .min(0)
      .default(64 * 1024 * 1024),
  })
  .prefault({})

/** Schema of the webhooks' settings. */
const hooksSchema = z
  .strictObject({
    /** Networks of receivers that are not public. Their URLs may be plain HTTP. */
    allowPrivate: z.array(networkSchema).default([]),
  })
  .prefault({})

// The Universal Resolver of Ethereum, a proxy of ENS that keeps its address.
const universalResolver = '0xeEeEEEeE14D718C2B47D9923Deab1335E144EeEe'

/** Returns the schema of ENS. Without it the page looks wallets up by address only. */
function ensSchema(sources: ConfigSources) {
  return z
    .strictObject({
      /** RPCs of the chain that has the resolver. */
      rpc: z.array(secretUrlSchema(sources)).min(1),
      universalResolver: addressSchema.prefault(universalResolver),
    })
    .optional()
}
