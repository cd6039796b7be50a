import { writeGeneratedTypes } from './generated-types.ts'
import { installGraphCli } from './graph-cli.ts'

await installGraphCli()
writeGeneratedTypes()
