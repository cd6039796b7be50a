import { systemTime } from '@tallystick/base'
import { loadConfig, startService } from '@tallystick/service'
import pino from 'pino'

// Starts the built service with a clock that is ahead of the system's. Arguments: the offset in milliseconds and
// the path of the configuration. Replicas with the same offset cross a boundary together.
const [aheadMs, configPath] = [Number(process.argv[2]), process.argv[3]]
const service = await startService({
  config: loadConfig(configPath, { env: process.env, secrets: 'required' }),
  time: { ...systemTime, now: () => Date.now() + aheadMs },
  databaseShiftMs: () => aheadMs,
  log: pino({ level: 'error', base: null }, pino.destination(2)),
  say: () => {},
})
process.stdout.write(`ready ${service.baseUrl}\n`)
