import { fileURLToPath } from 'node:url'
import { assembleProgram } from './assemble-program.ts'
import { type ProgramName, programs } from './programs.ts'

// Writes the package of a built program into a directory: assemble.ts <tallystick | sandbox> <directory>. The image is built with it.

const [name = '', target] = process.argv.slice(2)
if (!Object.hasOwn(programs, name) || target === undefined) {
  throw new Error(`Usage: assemble.ts <${Object.keys(programs).join(' | ')}> <directory>`)
}
await assembleProgram(programs[name as ProgramName], {
  root: fileURLToPath(new URL('../../', import.meta.url)),
  target,
})
