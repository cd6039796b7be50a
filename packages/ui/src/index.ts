export { download } from './browser/download.ts'
export { createQuietStorage, listStoredKeys, type QuietStorage, quietStorage } from './browser/quiet-storage.ts'
export { applyStoredTheme } from './browser/stored-theme.ts'
export { type AxisTitles, Chart } from './chart/chart.tsx'
export { type ChartLayout, type ChartSize, plotOf, thinTicks } from './chart/chart-layout.ts'
export { ChoosableRow } from './chart/choosable-row.tsx'
export { layOutRates } from './chart/lay-out-rates.ts'
export { type Amount, floorCents, formatCents, negate, splitCents, sumAmounts } from './format/cents.ts'
export { formatDollars, formatExact, parseDollars } from './format/dollars.ts'
export { formatMove, formatRate } from './format/format-rate.ts'
export {
  formatClock,
  formatCountdown,
  formatDate,
  formatDatesIn,
  formatDayMonth,
  formatDuration,
  formatHours,
  formatInstant,
  formatMonth,
  formatPeriod,
  formatSecond,
  isoDate,
  newYorkZone,
  startOfDay,
  zoneName,
} from './format/format-time.ts'
export { addDays, countDays, isDate, newYorkDate, utcMidnight } from './format/new-york-day.ts'
export { useZone } from './format/zone.ts'
export { type Action, useAction } from './hooks/use-action.ts'
export { useLoaded } from './hooks/use-loaded.ts'
export { useMedia } from './hooks/use-media.ts'
export { useMessage } from './hooks/use-message.ts'
export { useNow } from './hooks/use-now.ts'
export { type Polled, usePolled } from './hooks/use-polled.ts'
export { createListeners, useSubscribed } from './hooks/use-subscribed.ts'
export { wake } from './hooks/wake.ts'
export { Button, withoutReload } from './parts/button.tsx'
export { Choices, Select } from './parts/choices.tsx'
export { FieldFault } from './parts/field-fault.tsx'
export { Hex, shortHex } from './parts/hex.tsx'
export { Icon, Mark } from './parts/icons.tsx'
export { Instant } from './parts/instant.tsx'
export { Notice, Pill, type Tone, toneIcons } from './parts/notice.tsx'
export { Ghost, Loading, Skeleton } from './parts/skeleton.tsx'
export { TableHead } from './parts/table-head.tsx'
export { ThemeButton } from './parts/theme-button.tsx'
export { ZonePicker } from './parts/zone-picker.tsx'
