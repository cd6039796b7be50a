// Node 20 has one optimizing compiler, an expensive one. Later versions have another one before it.
const isNode20 = process.versions.node.startsWith('20.')

/**
 * Flags of Node for processes that run for seconds. The WebAssembly of PGlite is compiled once, without optimisation, which
 * is slower per query but saves 2 s of processor time per process. JavaScript is optimized only after it ran for long,
 * which saves a tenth.
 */
export const shortRunFlags: readonly string[] = ['--liftoff-only', ...(isNode20 ? ['--interrupt-budget=600000'] : [])]
