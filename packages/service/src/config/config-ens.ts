import { z } from 'zod'
import { addressSchema } from './config-fields.ts'
import { type ConfigSources, secretUrlSchema } from './config-secrets.ts'

// The Universal Resolver of Ethereum, a proxy of ENS that keeps its address.
const universalResolver = '0xeEeEEEeE14D718C2B47D9923Deab1335E144EeEe'

/** Returns the schema of ENS. Without it the page looks wallets up by address only. */
export function ensSchema(sources: ConfigSources) {
  return z
    .strictObject({
      /** RPCs of the chain that has the resolver. */
      rpc: z.array(secretUrlSchema(sources)).min(1),
      universalResolver: addressSchema.prefault(universalResolver),
    })
    .optional()
}
