export { notesEntryBytesMax } from './format-entries.ts'
export { countJournalEntries, openLogJournal } from './log-journal.ts'
export { createLogKeyText, type LogKey, parseLogKey } from './log-key.ts'
export { readMirrorHead } from './log-mirror.ts'
export { type LogReport, reportLog } from './log-report.ts'
export {
  findSetIndex,
  logChannel,
  logMigrations,
  readEntries,
  type StoredCheckpoint,
} from './log-store.ts'
export { createNoteLog } from './note-log.ts'
export { reconcileLogFromFile } from './reconcile-log.ts'
export { type RunningLog, startPublicLog } from './start-public-log.ts'
export { logMetricHelp } from './start-row-watch.ts'
