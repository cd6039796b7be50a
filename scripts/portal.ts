import { fileURLToPath } from 'node:url'
import { buildPortal } from './build-portal.ts'

const outcome = await buildPortal(fileURLToPath(new URL('../', import.meta.url)))
if (outcome.isNew) process.stdout.write(`built the portal: ${Math.ceil(outcome.firstLoadBytes / 1024)} KB to load\n`)
