import { z } from 'zod'
import { isList, originSchema } from './config-fields.ts'

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

// What a source of a Content-Security-Policy may consist of: `new URL` accepts hosts with `;` and quotes, and a policy knows no
// IPv6 address.
const sourcePattern = /^https?:\/\/[a-z0-9.-]+(?::\d{1,5})?$/

// Only what is an origin is checked further, so that a fault is listed once.
const frameAncestorSchema = originSchema.pipe(
  z.string().refine((value) => sourcePattern.test(value), 'must have a host of letters, digits, dots and hyphens'),
)

/** Schema of the page's settings. */
export const portalSchema = z
  .strictObject({
    /** Whether people may use the page without a key. */
    visitors: visitorsSchema,
    /** Origins whose pages may show the page in a frame, such as a Safe. */
    frameAncestors: z
      .array(frameAncestorSchema)
      .max(100)
      .refine((origins) => new Set(origins).size === origins.length, {
        message: 'contains an origin twice',
        when: isList,
      })
      .default([]),
  })
  .prefault({})
