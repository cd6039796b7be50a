export { createBackgroundWork, joinRuns, runOneAtATime } from './background-work.ts'
export { decodeChecksumLine, encodeChecksumLine, etagOf } from './checksum-line.ts'
export { type Closers, createClosers } from './closers.ts'
export { type Abort, createAbort, type StopSignal } from './create-abort.ts'
export { createLineWriter, type LineWriter, openLog } from './create-line-writer.ts'
export { isPlainHttpsUrl, isSafeEndpoint } from './endpoint-url.ts'
export { keepTickObject } from './keep-tick-object.ts'
export {
  createLineFile,
  DamagedLineError,
  type LineFile,
  openLineFile,
  type ReadLine,
  readLineFile,
} from './line-file.ts'
export { createLogThrottle } from './log-throttle.ts'
export { type Counter, createMetrics, type MetricHelp, type Metrics } from './metrics.ts'
export { parseRetryAfter } from './parse-retry-after.ts'
export {
  combineLimits,
  createRateWindow,
  createWindowLimit,
  formatRate,
  type RateState,
  type RateWindow,
  rateWindowSeconds,
  type SingleLimit,
} from './rate-window.ts'
export { quote, type Secret } from './redact.ts'
export { settleWithin, within } from './settle-within.ts'
export { beginSlices, inSlices } from './slices.ts'
export { syncDirectory } from './sync-directory.ts'
export {
  type Clock,
  createTime,
  repeat,
  type ShiftableTime,
  sleep,
  systemTime,
  type Time,
  type Timer,
  toSeconds,
  type Wait,
} from './time.ts'
export { createTrust } from './trust.ts'
