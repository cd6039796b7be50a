import type { Secret } from '@tallystick/base'
import { notesEntryBytesMax } from '@tallystick/public-log'
import { entryBytesMax } from '@tallystick/tlog'
import { z } from 'zod'
import { addressSchema, explorerSchema, isList, isObject, publicRpcSchema, tenorsSchema } from './config-fields.ts'
import { type ConfigFields, type ConfigSources, secretUrlSchema } from './config-secrets.ts'
import { chainSignerSchema } from './config-signer.ts'

export function chainsSchema(sources: ConfigSources, fields: ConfigFields) {
  return z.array(chainSchema(sources, fields)).min(1).superRefine(refuseRepeatedChains, { when: isList })
}

/** Requires an RPC for each chain if `rails.preflight` does. Also runs on a configuration with other faults. */
export function refuseUncheckedChains(value: unknown, context: z.RefinementCtx): void {
  const { rails, chains } = value as { rails?: { preflight?: unknown }; chains?: readonly { rpc?: unknown }[] }
  if (rails?.preflight !== 'require' || !Array.isArray(chains)) return
  chains.forEach((chain, index) => {
    if (!Array.isArray(chain?.rpc) || chain.rpc.length > 0) return
    const message = 'must have at least one RPC: rails.preflight "require" calls the pool through it'
    context.addIssue({ code: 'custom', path: ['chains', index, 'rpc'], message })
  })
}

/** Refuses more tenors than an entry of the public log can hold. */
export function refuseLargeSets(
  { chains, tenors: common }: Pick<Offers, 'chains' | 'tenors'>,
  context: z.RefinementCtx,
) {
  chains.forEach(({ id: chainId, domain, tenors = common }, index) => {
    const bytes = notesEntryBytesMax({ chainId, domain, tenors })
    if (bytes <= entryBytesMax) return
    const path = tenors === common ? ['tenors'] : ['chains', index, 'tenors']
    const message =
      `are ${tenors.length} tenors, whose notes on chain ${chainId} can have ${bytes} bytes in the public log. ` +
      `Its entries have at most ${entryBytesMax}`
    context.addIssue({ code: 'custom', path, message })
  })
}

type Offers = {
  readonly tenors: readonly number[]
  readonly signer: z.output<ReturnType<typeof chainSignerSchema>>
  readonly chains: readonly z.output<ReturnType<typeof chainSchema>>[]
}

/** Gives each chain its own tenors and signer or the common ones. `tenors` are then those of at least one chain. */
export function resolveOffers({ tenors: commonTenors, signer: commonSigner, ...offers }: Offers) {
  const chains = offers.chains.map((chain) => ({
    ...chain,
    tenors: chain.tenors ?? commonTenors,
    signer: chain.signer ?? commonSigner,
  }))
  const tenors = [...new Set(chains.flatMap((chain) => chain.tenors))].sort((a, b) => a - b)
  return { tenors, chains }
}

function chainSchema(sources: ConfigSources, fields: ConfigFields) {
  const url = secretUrlSchema(sources)
  return z
    .strictObject({
      id: z.int().min(1),
      name: z.string().min(1),
      pool: addressSchema,
      /** Dollar that the pool must name. Not compared by default. */
      dollar: addressSchema.optional(),
      /** Tenors on offer on this chain. Default: the top-level `tenors`. */
      tenors: tenorsSchema.optional(),
      /** Signer of this chain's notes. Default: the top-level `signer`. */
      signer: chainSignerSchema(sources, fields).optional(),
      /** Block explorer, for links. */
      explorer: explorerSchema.optional(),
      domain: z
        .strictObject({
          name: z.string().min(1).default('NoteSignatureVerifier'),
          version: z.string('must be a string: a number would change the hash').min(1).default('1'),
        })
        .prefault({}),
      maxCouponBps: z.int().min(1).max(10_000).default(1000),
      minMaturitySeconds: z.int().min(0).default(172_800),
      rpc: z.array(url).default([]),
      /** URLs with which the page adds the chain to a visitor's wallet. `rpc` stays private. */
      publicRpc: z.array(publicRpcSchema).max(10).default([]),
      /** Symbol of the coin in which the chain's fees are paid. Wallets accept 2 to 6 characters (EIP-3085). */
      currency: z
        .string()
        .regex(/^[A-Za-z0-9]{2,6}$/, 'must be 2 to 6 letters or digits')
        .default('ETH'),
      /** A reorg of more blocks is not followed by the embedded subgraph. */
      maxReorgDepth: z.int().min(1).max(100_000).default(256),
      subgraph: subgraphSchema(fields.secret, url).optional(),
    })
    .refine(({ subgraph, rpc }) => subgraph?.embedded === undefined || rpc.length > 0, {
      path: ['rpc'],
      message: 'must have at least one RPC: the embedded subgraph indexes the chain from it',
    })
    .transform(({ pool, domain, ...chain }) => ({ ...chain, domain: { ...domain, verifyingContract: pool } }))
}

function subgraphSchema(secret: z.ZodType<Secret, string>, url: z.ZodType<string, string>) {
  return z
    .strictObject({
      urls: z.array(url).min(1).optional(),
      headers: z.record(z.string(), secret).optional(),
      embedded: z.strictObject({ positions: addressSchema, startBlock: z.int().min(0).default(0) }).optional(),
      /** Source that answers if the chain has both. The other one is the fallback. Default: `embedded`. */
      prefer: z.enum(['embedded', 'urls']).optional(),
    })
    .refine(({ urls, embedded }) => urls !== undefined || embedded !== undefined, {
      message: 'must have "urls", "embedded" or both',
      when: isObject,
    })
    .refine(({ urls, embedded, prefer }) => prefer === undefined || (urls !== undefined && embedded !== undefined), {
      path: ['prefer'],
      message: 'must have both "urls" and "embedded" beside it: with one source there is nothing to prefer',
      when: isObject,
    })
    .meta({
      anyOf: [{ required: ['urls'] }, { required: ['embedded'] }],
      dependencies: { prefer: ['urls', 'embedded'] },
    })
}

function refuseRepeatedChains(chains: readonly { readonly id: number }[], context: z.RefinementCtx): void {
  chains.forEach(({ id }, index) => {
    if (chains.findIndex((chain) => chain.id === id) === index) return
    context.addIssue({ code: 'custom', path: [index, 'id'], message: `chain ${id} is configured twice` })
  })
}
