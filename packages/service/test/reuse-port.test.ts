import { Agent } from 'node:https'
import { sendRequest } from '@tallystick/workbench/send-request'
import { expect, test } from 'vitest'
import { findReusePortProblem } from '../src/config/reuse-port.ts'
import { newDatabase, prepare, secureContext, start } from './harness.ts'

const listen = { host: '127.0.0.1', port: 0, reusePort: true, tls: { cert: 'cert.pem', key: 'key.pem' } }
const problem = findReusePortProblem(process)

/** Returns the replica that answers a request on a new connection: the first part of the request's id. */
async function askReplica(baseUrl: string): Promise<string> {
  const agent = new Agent({ secureContext })
  const { status, headers } = await sendRequest(`${baseUrl}/calendar`, { agent })
  expect(status).toBe(200)
  return String(headers['x-request-id']).split('-')[0] as string
}

test.skipIf(problem !== undefined)(
  `default: two replicas share a port, and one of them serves it when the other has stopped${problem ? ` (skipped: reusePort ${problem})` : ''}`,
  async () => {
    const databaseUrl = await newDatabase('postgres')
    const first = await start({ databaseUrl, config: { listen } })
    const port = Number(new URL(first.baseUrl).port)
    const second = await start({ databaseUrl, config: { listen: { ...listen, port } } })
    expect(second.baseUrl).toBe(first.baseUrl)
    const replicas = await Promise.all(Array.from({ length: 64 }, () => askReplica(first.baseUrl)))
    expect(new Set(replicas).size).toBe(2)
    await first.stop()
    const remaining = await Promise.all(Array.from({ length: 64 }, () => askReplica(first.baseUrl)))
    expect(new Set(remaining).size).toBe(1)
  },
)

const note = problem === undefined ? ' (skipped: this Node can share a port)' : ''

test.skipIf(problem === undefined)(
  `error: a Node that cannot share a port refuses the configuration${note}`,
  async () => {
    const databaseUrl = 'postgres://localhost/none'
    await expect(prepare({ databaseUrl, config: { listen } })).rejects.toThrow(
      `listen.reusePort: needs Node 22.12 or later. This is ${process.version}. Update Node, or remove it`,
    )
  },
)

test('error: without reusePort a port that is in use is named', async () => {
  const databaseUrl = await newDatabase('postgres')
  const first = await start({ databaseUrl })
  const port = Number(new URL(first.baseUrl).port)
  const again = { ...listen, reusePort: false, port }
  await expect(start({ databaseUrl, config: { listen: again } })).rejects.toThrow(
    `Cannot listen on 127.0.0.1 port ${port} (EADDRINUSE).`,
  )
})
