export type Offsets = { readonly clockMs: number; readonly trueMs: number }
