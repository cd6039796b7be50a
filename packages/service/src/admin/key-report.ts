import type { KeyReport } from '@tallystick/core'
import type { Queryable } from '@tallystick/database'
import { getKey, listHourUsage, listQuotaUse, usageHoursMax } from '@tallystick/keys'
import { toIso, viewKey } from './key-view.ts'

const hourSeconds = 3_600n

/** Reports a key and its requests of the last 48 hours. */
export async function reportKey(
  database: Queryable,
  { id, nowSeconds }: { readonly id: string; readonly nowSeconds: bigint },
): Promise<KeyReport> {
  const key = await getKey(database, id)
  const fromHour = Number(nowSeconds / hourSeconds) - usageHoursMax + 1
  const none = () => Array<number>(usageHoursMax).fill(0)
  const byScope = { notes: none(), data: none(), rate: none() }
  for (const { hour, scope, requests } of await listHourUsage(database, { keyId: id, fromHour })) {
    const own = byScope[scope]
    // A replica whose clock is ahead may have stored requests of the next hour.
    const index = Math.min(hour - fromHour, usageHoursMax - 1)
    own[index] = (own[index] ?? 0) + requests
  }
  const used = new Map(
    (await listQuotaUse(database)).flatMap((use) => (use.keyId === id ? [[use.period, use.used]] : [])),
  )
  const quotaOf = (period: 'day' | 'month', allowed: number | null) =>
    allowed === null ? null : { used: used.get(period) ?? 0, allowed }
  return {
    key: viewKey(key, nowSeconds),
    hours: Array.from({ length: usageHoursMax }, (_, index) => toIso(BigInt(fromHour + index) * hourSeconds)),
    byScope,
    quotas: { day: quotaOf('day', key.quotaPerDay), month: quotaOf('month', key.quotaPerMonth) },
  }
}
