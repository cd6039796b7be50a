import { type AuditReport, TallystickError } from '@tallystick/core'
import { listAudit, type Queryable } from '@tallystick/database'

const limitMax = 1_000
const limitDefault = 50

export async function reportAudit(database: Queryable, limit: unknown = limitDefault): Promise<AuditReport> {
  if (!Number.isInteger(limit) || Number(limit) < 1 || Number(limit) > limitMax) {
    throw new TallystickError({
      code: 'invalid_parameter',
      message: `limit must be a whole number from 1 to ${limitMax}.`,
      retryable: false,
    })
  }
  const entries = await listAudit(database, Number(limit))
  return { entries: entries.map((entry) => ({ ...entry, id: entry.id.toString() })) }
}
