import { z } from 'zod'

const requestsPerMinuteDefault = 120

const visitorsSchema = z
  .union(
    [
      z.boolean(),
      z.strictObject({
        /** Of one IPv4 address or IPv6 /64, on all replicas together. */
        requestsPerMinute: z.int().min(1).max(100_000).default(requestsPerMinuteDefault),
      }),
    ],
    'must be true, false or { "requestsPerMinute": 120 } with a number from 1 to 100000',
  )
  .default(false)
  .transform((visitors) =>
    visitors === true ? { requestsPerMinute: requestsPerMinuteDefault } : visitors || undefined,
  )

/** Schema of the page's settings. */
export const portalSchema = z
  .strictObject({
    /** Whether people may use the page without a key. */
    visitors: visitorsSchema,
  })
  .prefault({})
