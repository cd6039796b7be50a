import './harden-process.ts'
import { setFlagsFromString } from 'node:v8'
import { parseOptions } from './options.ts'

// Node optimizes functions of the embedded database after little work, which takes 2 s of processor time at each start.
// With this budget only those that are used for long are optimized.
setFlagsFromString('--wasm-tiering-budget=300000000')
// Checked before the other modules are loaded, which takes a second.
const options = parseOptions(process.argv)
const { runProcess } = await import('./run-process.ts')
await runProcess(options)
