import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { keepConnections } from '@tallystick/workbench/keep-connections'
import { onTestFinished } from 'vitest'

/** A node that knows one block, of a time of our choosing, and no contract. It waits for `hang` before it answers. */
export async function startFakeRpc({
  timestampSeconds,
  chainId = 324,
  hang = () => undefined,
}: {
  readonly timestampSeconds: number | (() => number)
  readonly chainId?: number
  readonly hang?: () => Promise<void> | undefined
}): Promise<string> {
  const readTime = () => (typeof timestampSeconds === 'number' ? timestampSeconds : timestampSeconds())
  const readResult = (method: string): unknown => {
    if (method === 'eth_chainId') return `0x${chainId.toString(16)}`
    if (method !== 'eth_getBlockByNumber') return '0x'
    return { number: '0x1', timestamp: `0x${readTime().toString(16)}`, transactions: [] }
  }
  const server = createServer(keepConnections, async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    await hang()
    const { id, method } = JSON.parse(Buffer.concat(chunks).toString())
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: readResult(method) }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
