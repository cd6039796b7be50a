export type { Fetched } from './use-fetched.ts'
export { type UseNotesOptions, type UseNotesResult, useNotes } from './use-notes.ts'
export { type UsePositionsOptions, usePositions } from './use-positions.ts'
export { type UseRateOptions, useRate } from './use-rate.ts'
