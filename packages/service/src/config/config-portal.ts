import { z } from 'zod'

const requestsPerMinuteDefault = 120

const visitorsSchema = z
  .union([
    z.boolean(),
    z.strictObject({
      /** Of one IPv4 address or IPv6 /64, on all replicas together. */
      requestsPerMinute: z.int().min(1).max(100_000).default(requestsPerMinuteDefault),
    }),
  ])
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
