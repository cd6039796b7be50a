import { addDays, formatDayMonth, formatMonth, isoDate, newYorkZone, startOfDay, utcMidnight } from '@tallystick/ui'

export type TimeTick = { readonly seconds: number; readonly label: string }

type Bounds = { readonly start: number; readonly end: number; readonly zone: string; readonly countMax: number }

const dayCounts = [1, 2, 4, 7, 14]
const monthCounts = [1, 2, 3, 6, 12]
const eveningSeconds = 6 * 3600

/** Returns ticks at midnights, at the first of months, or, if few days are shown, at the boundaries of the periods. */
export function listTimeTicks(bounds: Bounds): readonly TimeTick[] {
  const { countMax, start, end } = bounds
  const midnights = listMidnights(bounds)
  if (bounds.zone === newYorkZone && midnights.length * 2 + 1 <= countMax && end - start <= 3.1 * 86_400)
    return listBoundaries(bounds)
  const every = dayCounts.find((days) => Math.ceil(midnights.length / days) <= countMax)
  // Counted back from the newest day, which is the one of interest.
  if (every !== undefined)
    return midnights
      .toReversed()
      .filter((_, index) => index % every === 0)
      .toReversed()
  const firsts = midnights.filter(({ date }) => date.endsWith('-01'))
  const months = monthCounts.find((count) => Math.ceil(firsts.length / count) <= countMax) ?? 24
  return firsts
    .filter(({ date }) => (Number(date.slice(5, 7)) - 1) % months === 0)
    .map(({ seconds }) => ({ seconds, label: formatMonth(BigInt(seconds), bounds.zone) }))
}

function listMidnights({ start, end, zone }: Bounds): readonly (TimeTick & { readonly date: string })[] {
  const midnightOf = (date: string) => startOfDay(utcMidnight(date), zone)
  const first = isoDate(start, zone)
  const found: (TimeTick & { readonly date: string })[] = []
  for (let date = first; midnightOf(date) <= end; date = addDays(date, 1)) {
    const seconds = midnightOf(date)
    if (seconds >= start) found.push({ seconds, date, label: formatDayMonth(BigInt(seconds), zone) })
  }
  return found
}

/** Returns 00:00 and 18:00 of each New York day. The evening always has 6 hours. */
function listBoundaries(bounds: Bounds): readonly TimeTick[] {
  const midnights = listMidnights({ ...bounds, end: bounds.end + 86_400 })
  return midnights
    .flatMap(({ seconds, label }) => [
      { seconds: seconds - eveningSeconds, label: '18:00' },
      { seconds, label },
    ])
    .filter(({ seconds }) => seconds >= bounds.start && seconds <= bounds.end)
}
