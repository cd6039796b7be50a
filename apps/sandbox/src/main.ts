import './harden-process.ts'
import { parseOptions } from './options.ts'

// Checked before the other modules are loaded, which takes a second.
const options = parseOptions(process.argv)
const { runProcess } = await import('./run-process.ts')
await runProcess(options)
