import { fileURLToPath } from 'node:url'
import { assembleProgram } from './assemble-program.ts'
import { programs } from './programs.ts'

// Writes the program of the image into a directory of a built tree: assemble.ts <directory>. It is the released package without
// the files of deploy/, which are for the machine that runs the image.

const [target] = process.argv.slice(2)
if (target === undefined) throw new Error('Usage: assemble.ts <directory>')
const root = fileURLToPath(new URL('../../', import.meta.url))
await assembleProgram({ ...programs.tallystick, extras: [] }, { root, target })
