import type { AuditReport } from '@tallystick/core'
import { listAudit, type Queryable } from '@tallystick/database'
import { refusal } from '@tallystick/http'

const limitMax = 1_000
const limitDefault = 50

export async function reportAudit(database: Queryable, limit: unknown = limitDefault): Promise<AuditReport> {
  if (!Number.isInteger(limit) || Number(limit) < 1 || Number(limit) > limitMax) {
    throw refusal('invalid_parameter', `limit must be a whole number from 1 to ${limitMax}.`)
  }
  const entries = await listAudit(database, Number(limit))
  return { entries: entries.map((entry) => ({ ...entry, id: entry.id.toString() })) }
}
