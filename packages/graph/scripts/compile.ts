import { writeMappingModule } from './mapping-module.ts'

process.stdout.write(`src/generated/mapping.wasm: ${await writeMappingModule()} bytes\n`)
