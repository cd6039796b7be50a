import { z } from 'zod'
import { checkCertificate, checkTicketKeys } from './config-certificates.ts'
import { isList, isObject, networkSchema, originSchema, portSchema } from './config-fields.ts'
import type { ConfigSources } from './config-secrets.ts'
import { findReusePortProblem } from './reuse-port.ts'

export function listenSchema(sources: ConfigSources, path: z.ZodType<string, string>) {
  const tls = z.strictObject({ cert: path, key: path, ticketKeys: path.optional() }).superRefine((files, context) => {
    if (sources.secrets !== 'required') return
    checkCertificate(files, context)
    if (files.ticketKeys !== undefined) checkTicketKeys(files.ticketKeys, context)
  })
  return z
    .strictObject({
      host: z.string().min(1).default('0.0.0.0'),
      port: portSchema.default(8443),
      /** Whether several replicas on this machine listen on the port. The kernel distributes the connections. */
      reusePort: z
        .boolean()
        .default(false)
        .superRefine((isWanted, context) => {
          const problem = isWanted ? findReusePortProblem(process) : undefined
          if (problem !== undefined) context.addIssue({ code: 'custom', message: problem })
        }),
      publicRpm: z.int().min(1).max(1_000_000).nullable().default(600),
      /** Total duration of an address's queries per minute. Default: see `choosePublicBudget`. */
      publicQueryMsPerMinute: z.int().min(1).max(6_000_000).nullable().optional(),
      /** Open connections. Default: as many as the limit of open files allows (`choose-bounds.ts`). */
      connectionsMax: z.int().min(1).max(1_000_000).optional(),
      /** Open connections of one IPv4 address or IPv6 /64. Null is unlimited. Trusted proxies have no limit. */
      connectionsPerAddressMax: z.int().min(1).max(1_000_000).nullable().default(100),
      /** Open streams of `GET /events` of one key. */
      eventStreamsPerKey: z.int().min(1).max(1_000_000).default(20),
      /** Open streams of all keys. Default: three quarters of the connections. */
      eventStreamsMax: z.int().min(1).max(1_000_000).optional(),
      /** Origins of web pages that may use the routes that need a key. */
      cors: z
        .array(originSchema)
        .max(100)
        .refine((origins) => new Set(origins).size === origins.length, {
          message: 'contains an origin twice',
          when: isList,
        })
        .optional(),
      /** How long connections are served after the stop signal, with /readyz at 503. */
      lameDuckSeconds: z.int().min(0).max(300).default(5),
      /** How long a stop may take, with the lame duck time. */
      shutdownSeconds: z.int().min(1).max(600).optional(),
      tls: tls.optional(),
      proxy: z.strictObject({ trust: z.array(networkSchema).min(1) }).optional(),
    })
    .refine((listen) => (listen.tls === undefined) !== (listen.proxy === undefined), {
      message: 'must have either "tls" (this service terminates TLS) or "proxy" (a trusted proxy does)',
      when: isObject,
    })
    .refine((listen) => chooseShutdownSeconds(listen) > listen.lameDuckSeconds, {
      message: 'must have "shutdownSeconds" above "lameDuckSeconds", which it includes',
      when: isObject,
    })
    .meta({ oneOf: [{ required: ['tls'] }, { required: ['proxy'] }] })
    .transform((listen) => ({
      ...listen,
      publicQueryMsPerMinute: choosePublicBudget(listen),
      shutdownSeconds: chooseShutdownSeconds(listen),
    }))
}

// 10 s for pending requests, and as much for everything else.
const shutdownSecondsAfterLameDuck = 20

/** Returns the configured time limit of a stop, or the default for the lame duck time. */
function chooseShutdownSeconds(listen: {
  readonly lameDuckSeconds: number
  readonly shutdownSeconds?: number | undefined
}): number {
  return listen.shutdownSeconds ?? listen.lameDuckSeconds + shutdownSecondsAfterLameDuck
}

// One sixth of a processor: 1,000 times the duration of a common query.
const publicQueryMsDefault = 10_000

type Listen = { readonly publicRpm: number | null; readonly publicQueryMsPerMinute?: number | null | undefined }

/** Returns the configured budget of an address, or the default. Null is unlimited. */
function choosePublicBudget(listen: Listen): number | null {
  if (listen.publicQueryMsPerMinute !== undefined) return listen.publicQueryMsPerMinute
  return listen.publicRpm === null ? null : publicQueryMsDefault
}
