import type { AuditReport } from '@tallystick/core'
import { listAudit, type Queryable } from '@tallystick/database'
import { z } from 'zod'
import { parseRequest, printable } from './parse-request.ts'

const text = printable.trim().min(1).max(200).optional()
const instant = z.iso.datetime({ offset: true }).optional()
const requestSchema = z.strictObject({
  limit: z.int().min(1).max(1_000).default(50),
  by: text,
  action: z
    .string()
    .regex(/^[a-z]{1,20}(\.[a-z]{1,20})?$/, 'must be an action such as key.revoke, or its first part')
    .optional(),
  subject: text,
  since: instant,
  until: instant,
})

/** Lists the newest changes that a filter lets through. */
export async function reportAudit(
  database: Queryable,
  { limit, filter }: { readonly limit?: number | undefined; readonly filter?: object | undefined },
): Promise<AuditReport> {
  const parsed = parseRequest(requestSchema, { ...filter, limit }, 'invalid_parameter')
  const entries = await listAudit(database, parsed)
  return { entries: entries.map((entry) => ({ ...entry, id: entry.id.toString() })) }
}
