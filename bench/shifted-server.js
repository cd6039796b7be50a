import { createClock, loadConfig, startService } from '@tallystick/api'
import pino from 'pino'

// The service as it is built, with a clock that stands at an instant until all is ready and runs from there. Argument: the
// instant in milliseconds. Says by how much the clock is ahead of the system's.
const clock = createClock()
clock.hold(Number(process.argv[2]))
const service = await startService({
  config: loadConfig('tallystick.json', { env: process.env, secrets: 'required' }),
  clock,
  log: pino({ level: 'error', base: null }, pino.destination(2)),
  say: () => {},
})
clock.run()
process.stdout.write(`ahead ${readAhead()}\nready ${service.baseUrl}\n`)

/** Both clocks within one millisecond. */
function readAhead() {
  for (;;) {
    const before = Date.now()
    const now = clock.now()
    if (Date.now() === before) return now - before
  }
}
