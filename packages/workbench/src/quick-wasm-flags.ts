/**
 * Flags of Node for short-lived processes that use PGlite. Its WebAssembly is compiled once, without optimisation, which is
 * slower per query but saves 2 s of processor time per process.
 */
export const quickWasmFlags = ['--liftoff-only'] as const
