import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { startPostgres } from '@tallystick/workbench/postgres'
import { createKeyHeaders, measurePeaks } from '../peaks.ts'
import type { Result } from '../result.ts'
import { createSite, setBenchCurve } from '../service.ts'

const rounds = 12

/**
 * Measures two replicas that share a port (`listen.reusePort`) against one, with the load on the same two cores. The load
 * needs a core itself, so on two cores this shows what sharing costs, not what a second core adds.
 */
export async function measureCores(): Promise<Result[]> {
  const [port, otherPort] = [await findSharedPort(), await findSharedPort()]
  if (port === undefined || otherPort === undefined) {
    process.stderr.write(`cores: not measured, because Node ${process.version} cannot share a port here\n`)
    return []
  }
  const postgres = await startPostgres()
  await postgres.createDatabase('cores')
  const tls = { cert: 'cert.pem', key: 'key.pem' }
  const siteOn = (shared: number) =>
    createSite({
      listen: { host: '127.0.0.1', port: shared, reusePort: true, publicRpm: null, tls },
      database: postgres.url('cores'),
    })
  const [alone, together] = [siteOn(port), siteOn(otherPort)]
  setBenchCurve(alone)
  const headersOf = createKeyHeaders(alone)
  const replicas = [
    await alone.serve(),
    ...(await Promise.all(['one', 'two'].map((name) => together.serve(together.configureReplica(name))))),
  ]
  const [server, baseline] = [
    { port: otherPort, ca: together.ca },
    { port, ca: alone.ca },
  ]
  const results = await measurePeaks([{ name: 'cores.two', path: '/notes', server, baseline }], { rounds, headersOf })
  for (const { child } of replicas) child.kill('SIGKILL')
  for (const site of [alone, together]) site.remove()
  await postgres.stop()
  return results
}

/** Returns a free port that two servers can share, or undefined if this Node or platform cannot. */
async function findSharedPort(): Promise<number | undefined> {
  const listen = async (port: number) => {
    const server = createServer()
    const options: Parameters<typeof server.listen>[0] & object = { port, host: '127.0.0.1' }
    server.listen({ ...options, reusePort: true } as typeof options)
    await once(server, 'listening')
    return server
  }
  const first = await listen(0)
  const { port } = first.address() as AddressInfo
  const second = await listen(port).catch(() => undefined)
  for (const server of [first, second]) server?.close()
  return second && port
}
