import { periodAt } from '@tallystick/core'
import { loadConfig, startService } from '@tallystick/service'
import pino from 'pino'
import { atMost, createTestTime, faster } from '../../packages/base/test/test-time.ts'
import { compare, type Result } from '../result.ts'
import { benchLog, createSite, type Site, setBenchCurve } from '../service.ts'

const signAtBoundary = { rails: { signAheadSeconds: 0 } }
const rounds = 5
const periodsPerRound = 10

/**
 * Measures how long a period takes from the clock's step to its published notes: signed, stored, journalled and logged. The
 * baseline is the same without a public log.
 */
export async function measureLogAppend(): Promise<Result[]> {
  const logged = await openIssuer(createSite({ ...signAtBoundary, log: benchLog }))
  const plain = await openIssuer(createSite(signAtBoundary))
  const measured = []
  for (let round = 0; round < rounds; round++) {
    measured.push({ value: await logged.issue(periodsPerRound), baseline: await plain.issue(periodsPerRound) })
  }
  await logged.stop()
  await plain.stop()
  return [compare({ name: 'log.append', unit: 'ms', target: { atMost: 2 } }, measured)]
}

/** Starts a service in this process whose clock is moved from boundary to boundary. */
async function openIssuer(site: Site) {
  setBenchCurve(site)
  const config = loadConfig(site.configPath, { env: site.env, secrets: 'required' })
  const waits = { clocks: atMost(1), issuing: atMost(1), 'issuing retry': faster(1_000), 'public log': atMost(5) }
  const clock = createTestTime({ waits })
  let onPublished: () => void = () => undefined
  const log = pino({ base: null }, { write: (line: string) => line.includes('"notes published"') && onPublished() })
  clock.hold(Date.now())
  const service = await startService({ config, time: clock, log, say: () => undefined })
  const issue = async (periods: number) => {
    const startedMs = performance.now()
    for (let period = 0; period < periods; period++) {
      const published = new Promise<void>((resolve) => {
        onPublished = resolve
      })
      clock.hold(Number(periodAt(BigInt(Math.floor(clock.now() / 1000))).end) * 1000)
      await published
    }
    return (performance.now() - startedMs) / periods
  }
  return { issue, stop: async () => service.stop().then(site.remove) }
}
