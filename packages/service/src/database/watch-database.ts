import type { MetricHelp, Metrics, Time } from '@tallystick/base'
import { type Finding, TallystickError } from '@tallystick/core'
import type { Database, Queryable } from '@tallystick/database'

export const databaseMetricHelp: MetricHelp = {
  tallystick_database_unavailable: 'ALARM: 1 while the database does not respond. Notes in memory are still served.',
}

const remedy =
  'Check that the database runs and that this machine reaches it. The service reconnects automatically. Notes in memory are still served.'
// A statement takes milliseconds.
const silenceMs = 2_000

/**
 * Returns the same database, and a check that knows from the statements of the service whether it responds. A replica on
 * PostgreSQL looks for changed keys every 500 ms, so the check needs no statement of its own.
 */
export function watchDatabase(
  database: Database,
  { metrics, time }: { readonly metrics: Metrics; readonly time: Pick<Time, 'monotonic'> },
): { readonly database: Database; readonly checkDatabase: () => Finding } {
  let pending = 0
  let failedSinceMs: number | undefined
  /** Start of the first pending statement, or the last response. */
  let silentSinceMs = 0
  const onResponse = () => {
    failedSinceMs = undefined
    silentSinceMs = time.monotonic()
  }
  const query: Queryable['query'] = async <Row extends object>(...statement: Parameters<Queryable['query']>) => {
    if (pending === 0) silentSinceMs = time.monotonic()
    pending += 1
    try {
      const rows = await database.query<Row>(...statement)
      onResponse()
      return rows
    } catch (error) {
      if (isAway(error)) failedSinceMs ??= silentSinceMs
      else onResponse()
      throw error
    } finally {
      pending -= 1
    }
  }
  const findSilence = () => {
    if (failedSinceMs !== undefined) return failedSinceMs
    return pending > 0 && time.monotonic() - silentSinceMs >= silenceMs ? silentSinceMs : undefined
  }
  const checkDatabase = (): Finding => {
    const subject = database.label
    const sinceMs = findSilence()
    if (sinceMs === undefined) return { subject, severity: 'ok', message: 'responds' }
    const message = `no response for ${Math.round((time.monotonic() - sinceMs) / 1000)} s`
    return { subject, severity: 'fail', message, remedy }
  }
  metrics.gauge('tallystick_database_unavailable', () => [{ value: findSilence() === undefined ? 0 : 1 }])
  return { database: { ...database, query }, checkDatabase }
}

function isAway(error: unknown): boolean {
  return error instanceof TallystickError && error.code === 'database_unavailable'
}
