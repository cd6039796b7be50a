import type { KeyScope, UsageReport } from '@tallystick/core'
import type { Queryable } from '@tallystick/database'
import { type KeyUsage, listKeys, listKeyUsage, listQuotaUse, usageDaysMax } from '@tallystick/keys'
import { z } from 'zod'
import { toIso } from './key-view.ts'
import { parseRequest } from './parse-request.ts'

const daySeconds = 86_400n
const daysSchema = z.int().min(1).max(usageDaysMax).default(30)

export async function reportUsage(
  database: Queryable,
  { wanted, nowSeconds }: { readonly wanted: unknown; readonly nowSeconds: bigint },
): Promise<UsageReport> {
  const count = parseRequest(daysSchema, wanted, 'invalid_parameter')
  const firstDay = Number(nowSeconds / daySeconds) - count + 1
  const sums = sumUsage(await listKeyUsage(database, firstDay), { firstDay, count })
  const keys = await listKeys(database)
  const used = new Map((await listQuotaUse(database)).map((use) => [`${use.keyId} ${use.period}`, use.used]))
  const quotaOf = (id: string, period: 'day' | 'month', allowed: number | null) =>
    allowed === null ? null : { used: used.get(`${id} ${period}`) ?? 0, allowed }
  return {
    days: Array.from({ length: count }, (_, index) => toIso(BigInt(firstDay + index) * daySeconds).slice(0, 10)),
    keys: keys.map(({ id, name, lastUsedAt, quotaPerDay, quotaPerMonth }) => ({
      id,
      name,
      lastUsedAt: lastUsedAt === null ? null : toIso(lastUsedAt),
      ...(sums.get(id) ?? noUsage(count)),
      quotas: { day: quotaOf(id, 'day', quotaPerDay), month: quotaOf(id, 'month', quotaPerMonth) },
    })),
  }
}

type Sums = { readonly requests: number[]; total: number; readonly byScope: Record<KeyScope, number> }

function noUsage(count: number): Sums {
  return { requests: Array.from({ length: count }, () => 0), total: 0, byScope: { notes: 0, data: 0, rate: 0 } }
}

function sumUsage(
  rows: readonly KeyUsage[],
  { firstDay, count }: { readonly firstDay: number; readonly count: number },
): ReadonlyMap<string, Sums> {
  const sums = new Map<string, Sums>()
  for (const { keyId, day, scope, requests } of rows) {
    const own = sums.get(keyId) ?? noUsage(count)
    sums.set(keyId, own)
    // A replica whose clock is ahead may have stored requests of tomorrow.
    const index = Math.min(day - firstDay, count - 1)
    own.requests[index] = (own.requests[index] ?? 0) + requests
    own.total += requests
    own.byScope[scope] += requests
  }
  return sums
}
