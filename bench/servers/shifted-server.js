import { createTime } from '@tallystick/base'
import { loadConfig, startService } from '@tallystick/service'
import pino from 'pino'

// Starts the built service with a clock that stands at an instant during the start and runs from there. Arguments: the
// instant in milliseconds, and those to which each SIGHUP sets the clock. Prints the offset of the clock from the system's.
const [, , first, ...later] = process.argv
const clock = createTime()
clock.hold(Number(first))
const service = await startService({
  config: loadConfig('tallystick.json', { env: process.env, secrets: 'required' }),
  time: clock,
  log: pino({ level: 'error', base: null }, pino.destination(2)),
  say: () => {},
})
clock.run()
process.stdout.write(`ahead ${readAhead()}\nready ${service.baseUrl}\n`)

process.on('SIGHUP', () => {
  clock.hold(Number(later.shift()))
  clock.run()
  process.stdout.write(`ahead ${readAhead()}\n`)
})

/** Returns the offset, with both clocks read within one millisecond. */
function readAhead() {
  for (;;) {
    const before = Date.now()
    const now = clock.now()
    if (Date.now() === before) return now - before
  }
}
