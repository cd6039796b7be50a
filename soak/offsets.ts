/** Offsets of a process's clock and of the true time from the clock of this machine, in milliseconds. */
export type Offsets = { readonly clockMs: number; readonly trueMs: number }
