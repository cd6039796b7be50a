import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { startPostgres } from '@tallystick/workbench/postgres'
import { median, type Result } from '../result.ts'
import { createSite, type Server, setBenchCurve } from '../service.ts'

const rounds = 5
const bareServer = fileURLToPath(new URL('../servers/ready-server.js', import.meta.url))

/**
 * Measures the time from the start of the process to the ready line, and the resident memory then, on a database with signed
 * notes. The baseline is a Node process that only listens.
 */
export async function measureStart(): Promise<Result[]> {
  const postgres = await startPostgres()
  await postgres.createDatabase('start')
  const results: Result[] = []
  for (const [name, database] of [
    ['embedded', 'file:db'],
    ['postgres', postgres.url('start')],
  ] as const) {
    const site = createSite({ database })
    setBenchCurve(site)
    // The first start migrates and signs.
    await measureReady(() => site.serve())
    const own: Ready[] = []
    const bare: Ready[] = []
    for (let round = 0; round < rounds; round += 1) {
      bare.push(await measureReady(() => site.start([bareServer])))
      own.push(await measureReady(() => site.serve()))
    }
    const figure = (kind: 'ms' | 'megabytes', unit: string): Result => {
      const [value, baseline] = [median(own.map((one) => one[kind])), median(bare.map((one) => one[kind]))]
      return { name: `start.${name}.${kind === 'ms' ? 'time' : 'rss'}`, value, unit, baseline, ratio: value / baseline }
    }
    results.push(figure('ms', 'ms'), ...(process.platform === 'linux' ? [figure('megabytes', 'MB')] : []))
    site.remove()
  }
  await postgres.stop()
  return results
}

type Ready = { readonly ms: number; readonly megabytes: number }

async function measureReady(start: () => Promise<Server>): Promise<Ready> {
  const startedAt = performance.now()
  const { child } = await start()
  const ms = performance.now() - startedAt
  const megabytes = process.platform === 'linux' ? readMegabytes(Number(child.pid)) : Number.NaN
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  child.kill('SIGTERM')
  await ended
  return { ms, megabytes }
}

function readMegabytes(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
}
