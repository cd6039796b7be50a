import { text } from 'node:stream/consumers'
import { startLocalServer } from '@tallystick/workbench/start-local-server'
import { expect, onTestFinished, test } from 'vitest'
import { createForeignBlockCheck } from '../judges/foreign-blocks.ts'

/** A node that knows some blocks. */
async function startNode(id: number, hashes: readonly string[]) {
  const asked: string[] = []
  const server = await startLocalServer(async (request, response) => {
    const [{ params }] = JSON.parse(await text(request))
    asked.push(params[0])
    response.end(JSON.stringify([{ id: 0, result: hashes.includes(params[0]) ? { hash: params[0] } : null }]))
  })
  onTestFinished(server.stop)
  return { id, asked, url: server.url }
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
