import { writeGeneratedTypes } from './generated-types.ts'
import { installGraphCli } from './graph-cli.ts'

installGraphCli((line) => process.stdout.write(`${line}\n`))
writeGeneratedTypes()
