import { newYorkZone, startOfDay, utcMidnight } from '@tallystick/ui'

/** Kinds of changes, as the filter names them. */
export const auditKinds: readonly (readonly [value: string, label: string])[] = [
  ['', 'everything'],
  ['key', 'keys'],
  ['curve', 'curves'],
  ['notes', 'notes'],
  ['hook', 'webhooks'],
  ['index', 'indexes'],
  ['log', 'the public log'],
  ['database', 'the database'],
  ['admin', 'failed sign-ins'],
]

const datePattern = /^\d{4}-\d\d-\d\d$/

/** Returns the parameters of `GET /audit` for those of the console's URL. `from` and `to` are days in New York, `to` included. */
export function readFilter({
  by,
  action,
  subject,
  from,
  to,
}: Readonly<Record<string, string>>): Record<string, string> {
  return {
    ...(by && { by }),
    ...(action && { action }),
    ...(subject && { subject }),
    ...(from && datePattern.test(from) && { since: startOf(from, 0) }),
    ...(to && datePattern.test(to) && { until: startOf(to, 1) }),
  }
}

function startOf(date: string, daysLater: number): string {
  const seconds = startOfDay(utcMidnight(date) + daysLater * 86_400, newYorkZone)
  return new Date(seconds * 1000).toISOString()
}
