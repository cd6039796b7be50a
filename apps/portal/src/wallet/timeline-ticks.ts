import { formatDayMonth, formatMonth, startOfDay } from '@tallystick/ui'

const day = 86_400
const ticksMax = 7

export type Tick = { readonly seconds: bigint; readonly label: string }

type ListTicksOptions = {
  readonly start: bigint
  readonly end: bigint
  readonly zone: string
}

/** Returns ticks at the beginning of days or months in a zone, few enough that their labels do not overlap. */
export function listTicks({ start, end, zone }: ListTicksOptions): readonly Tick[] {
  const [from, to] = [Number(start), Number(end)]
  const days = (to - from) / day
  const isShort = days < 70
  const every = Math.max(1, Math.ceil((isShort ? days : days / 30.4) / ticksMax))
  const first = new Date(from * 1000)
  const dateOf = (index: number) =>
    isShort
      ? Date.UTC(first.getUTCFullYear(), first.getUTCMonth(), first.getUTCDate() + 1 + index * every)
      : Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1 + index * every)
  return Array.from({ length: ticksMax + 1 }, (_, index) => startOfDay(dateOf(index) / 1000, zone))
    .filter((seconds) => seconds > from && seconds < to - (to - from) * 0.03)
    .map(BigInt)
    .map((seconds) => ({ seconds, label: isShort ? formatDayMonth(seconds, zone) : formatMonth(seconds, zone) }))
}
