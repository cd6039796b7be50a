import { writeFileSync } from 'node:fs'
import { buildConfigSchema } from './build-config-schema.ts'

// `npm run config-schema`, after a change of the configuration or of docs/configuration.md.
const file = new URL('../config.schema.json', import.meta.url)
writeFileSync(file, `${JSON.stringify(buildConfigSchema(), undefined, 2)}\n`)
