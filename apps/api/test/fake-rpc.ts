import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** A node that knows one block, of a time of our choosing, and no contract. */
export async function startFakeRpc({
  timestampSeconds,
  chainId = 324,
}: {
  readonly timestampSeconds: number
  readonly chainId?: number
}): Promise<string> {
  const block = { number: '0x1', timestamp: `0x${timestampSeconds.toString(16)}`, transactions: [] }
  const results: Record<string, unknown> = { eth_chainId: `0x${chainId.toString(16)}`, eth_getBlockByNumber: block }
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { id, method } = JSON.parse(Buffer.concat(chunks).toString())
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? '0x' }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
