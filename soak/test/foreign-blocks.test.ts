import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { keepConnections } from '@tallystick/workbench/keep-connections'
import { expect, onTestFinished, test } from 'vitest'
import { createForeignBlockCheck } from '../judges/foreign-blocks.ts'

/** A node that knows some blocks. */
async function startNode(id: number, hashes: readonly string[]) {
  const asked: string[] = []
  const server = createServer(keepConnections, async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const [{ params }] = JSON.parse(Buffer.concat(chunks).toString())
    asked.push(params[0])
    response.end(JSON.stringify([{ id: 0, result: hashes.includes(params[0]) ? { hash: params[0] } : null }]))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { id, asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

test('default: a block of another chain is a violation, the first block and one of its own chain are not', async () => {
  const chains = [await startNode(324, ['0xa', '0xgenesis']), await startNode(300, ['0xb', '0xgenesis'])] as const
  const violations: string[] = []
  const check = createForeignBlockCheck(chains, (message) => violations.push(message))
  const serve = (chain: number, number: number, hash: string) => {
    const body = JSON.stringify([{ chain, data: { _meta: { block: { number, hash } } } }])
    check({ replica: 'a', endpoint: '/data', answer: { status: 200, headers: {}, body } })
  }
  serve(324, 0, '0xgenesis')
  serve(324, 5, '0xa')
  serve(300, 5, '0xb')
  for (const _ of [1, 2]) serve(324, 6, '0xb')
  await expect.poll(() => chains.flatMap(({ asked }) => asked).length).toBe(3)
  await expect.poll(() => violations).toEqual(['a /data: block 0xb of chain 300 is served for chain 324'])
})
