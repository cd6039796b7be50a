import { decodeBundle, parseVerifierKey, type VerifierKey, verifyCheckpoint } from '@tallystick/tlog'
import { expect, onTestFinished, test } from 'vitest'
import { createPublicLog } from '../src/public-log/create-public-log.ts'
import { servePublicLog } from '../src/public-log/serve-public-log.ts'

async function serve(count: number) {
  const log = createPublicLog()
  for (let index = 0; index < count; index++) log.append(`entry ${index}`)
  log.publish()
  const server = await servePublicLog(log)
  onTestFinished(() => server.close())
  const get = async (path: string) => {
    const response = await fetch(`${server.url}/${path}`)
    return { status: response.status, body: new Uint8Array(await response.arrayBuffer()) }
  }
  return { log, server, get, key: parseVerifierKey(log.key) as VerifierKey }
}

test('default: serves checkpoint, key, tiles and bundles of what is published', async () => {
  const { log, get, key } = await serve(257)
  log.append('not yet published')
  const checkpoint = verifyCheckpoint(Buffer.from((await get('checkpoint')).body).toString(), key)
  expect(checkpoint.size).toBe(257)
  expect(Buffer.from((await get('key')).body).toString()).toBe(`${log.key}\n`)
  expect((await get('tile/0/000')).body).toHaveLength(256 * 32)
  expect((await get('tile/0/001.p/1')).body).toHaveLength(32)
  expect((await get('tile/1/000.p/1')).body).toHaveLength(32)
  const bundle = decodeBundle((await get('tile/entries/001.p/1')).body)
  expect(bundle?.map((entry) => Buffer.from(entry).toString())).toEqual(['entry 256'])
  for (const path of ['tile/0/001.p/2', 'tile/1/000', 'tile/2/000.p/1', 'elsewhere']) {
    expect((await get(path)).status).toBe(404)
  }
})

test('behavior: a bundle with a withheld entry is not served', async () => {
  const { log, get } = await serve(2)
  log.append('secret', { isWithheld: true })
  log.publish()
  expect((await get('tile/entries/000.p/3')).status).toBe(404)
  expect((await get('tile/entries/000.p/2')).status).toBe(200)
  log.reveal()
  expect((await get('tile/entries/000.p/3')).status).toBe(200)
})

test('behavior: a fork has the same key and another root', async () => {
  const { log, server, get, key } = await serve(3)
  const fork = log.fork(2)
  fork.append('another third')
  fork.publish()
  server.log = fork
  const forked = verifyCheckpoint(Buffer.from((await get('checkpoint')).body).toString(), key)
  expect(forked.size).toBe(3)
  expect(forked.root).not.toEqual(verifyCheckpoint(log.checkpoint, key).root)
})

test('behavior: faults', async () => {
  const { server, get } = await serve(3)
  const { body } = await get('tile/0/000.p/3')
  server.faultOf = () => ({ kind: 'flip', byte: 5, bit: 7 })
  const flipped = (await get('tile/0/000.p/3')).body
  expect(flipped.with(5, (flipped[5] as number) ^ 128)).toEqual(body)
  server.faultOf = () => ({ kind: 'status', status: 500 })
  expect((await get('key')).status).toBe(500)
  server.faultOf = () => ({ kind: 'body', body: 'other' })
  expect(Buffer.from((await get('proof?')).body).toString()).toBe('other')
  server.faultOf = () => ({ kind: 'cut' })
  await expect(get('tile/0/000.p/3')).rejects.toThrow()
  for (const kind of ['stall', 'endless'] as const) {
    server.faultOf = () => ({ kind })
    const reader = (await fetch(`${server.url}/tile/0/000.p/3`)).body?.getReader()
    expect((await reader?.read())?.value?.length).toBeGreaterThan(0)
    await reader?.cancel()
  }
})
