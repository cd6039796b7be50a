// @module-tag slow

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { Agent } from 'node:https'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { poolAbi } from '@tallystick/contracts'
import { decodeNote, notesResponseSchema } from '@tallystick/core'
import { sendRequest } from '@tallystick/workbench/send-request'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Credentials, readCredentials } from '../../../test/set-up/start-sandbox.ts'
import { getNotes, lendFrom, readChain } from './devnet-client.ts'
import { expectHistory, expectSynced } from './expect-history.ts'
import { type LocalSandbox, useSandboxes } from './use-sandboxes.ts'

// One directory for all tests, which run in this order: a start takes seconds.

const { newDirectory, start, startHere, launch } = useSandboxes()
let dir: string

beforeAll(async () => {
  dir = await newDirectory()
})

test('behavior: --fresh starts on a directory that does not exist; with --at, chain and service have one time', async () => {
  const at = '2026-03-08T17:59:56-04:00'
  const sandbox = await start('--dir', dir, '--at', at, '--fresh')
  const credentials = readCredentials(dir)
  expect(credentials.baseUrl).toMatch(/^https:/)
  const boundary = secondsOf(at) + 4n
  await Promise.all([expectInStep(credentials, secondsOf(at)), expectHistory(credentials, { positions: 40 })])
  await expect.poll(async () => (await getNotes(credentials)).dateSeconds > boundary).toBe(true)
  const { notes } = await getNotes(credentials)
  expect(notes[0]!.validAfter).toBe(boundary - 1n)
  expect(await lendFrom(credentials, { wallet: 1, note: notes[0]! })).toMatchObject({ status: 'success' })
  expect(await sandbox.stop()).toBe(0)
})

describe('--at, seconds before a boundary', () => {
  // These and six others run in the service's own tests, in process. Here the whole sandbox runs.
  test('behavior: 00:00, years later: the same history is resumed, and only valid notes under load', async () => {
    const at = '2031-05-01T23:59:50.700-04:00'
    const launchedAt = Date.now()
    const sandbox = await startHere('--dir', dir, '--at', at)
    expect(sandbox.output()).not.toContain('new history')
    const credentials = readCredentials(dir)
    const inStep = expectInStep(credentials, secondsOf(at)).then(() => expectSynced(credentials))
    await Promise.all([expectValidNotes(sandbox, { at, launchedAt }), inStep])
    const [note] = (await getNotes(credentials)).notes
    expect(await lendFrom(credentials, { wallet: 2, note: note! })).toMatchObject({ status: 'success' })
    await sandbox.stop()
  })

  test('behavior: on the autumn day, after a later run: a new history, and notes until 18:00', async () => {
    const sandbox = await startHere('--dir', dir, '--positions', '1', '--at', '2026-11-01T12:00:00-05:00')
    expect(sandbox.output()).toContain('creating a new history')
    const { notes } = await getNotes(readCredentials(dir))
    expect(notes[0]!.validBefore).toBe(secondsOf('2026-11-01T18:00:00-05:00'))
    await sandbox.stop()
  })
})

test('behavior: --fresh forgets everything', async () => {
  const { signer } = readCredentials(dir).chains[0]
  const sandbox = await startHere('--dir', dir, '--positions', '1', '--fresh')
  expect(readCredentials(dir).chains[0].signer).not.toBe(signer)
  await sandbox.stop()
})

test('error: --fresh neither deletes nor changes a directory that no sandbox made', async () => {
  const foreign = await newDirectory()
  mkdirSync(foreign)
  writeFileSync(join(foreign, 'precious.txt'), 'keep me')
  await expect(startHere('--dir', foreign, '--fresh')).rejects.toThrow('was not created by the sandbox')
  expect(readdirSync(foreign)).toEqual(['precious.txt'])
  expect(readFileSync(join(foreign, 'precious.txt'), 'utf8')).toBe('keep me')
})

test.each([
  ['2026-11-01T18:00:00', 'with its offset'],
  ['yesterday', 'ISO 8601'],
])('error: --at %s is refused: %s', async (at, message) => {
  const unused = await newDirectory()
  await expect(launch('--dir', unused, '--at', at).saw(/^ready/m)).rejects.toThrow(message)
})

/** Expects valid notes in every answer under load, and those of the new period from its first second. */
async function expectValidNotes(
  { readyAt }: LocalSandbox,
  { at, launchedAt }: { readonly at: string; readonly launchedAt: number },
): Promise<void> {
  const { baseUrl, apiKey, caCert } = readCredentials(dir)
  const agent = new Agent({ ca: readFileSync(caCert), keepAlive: true, maxSockets: 16 })
  // The sandboxes start in the last minute before a boundary.
  const boundary = (secondsOf(at) / 60n + 1n) * 60n
  const boundaryMs = Number(boundary) * 1000
  const counts = { before: 0, after: 0 }
  const client = async () => {
    const now = () => Date.parse(at) + Date.now() - readyAt
    while (now() < boundaryMs + 1_500 || counts.after <= 8) {
      const sentAt = now()
      const { status, dateSeconds, body } = await get(`${baseUrl}/notes`, { key: apiKey, agent })
      expect(status).toBe(200)
      const receivedAt = now()
      // The clock runs from a moment before the ready line on.
      expect(Number(dateSeconds) * 1000).toBeGreaterThan(sentAt - 2_000)
      expect(Number(dateSeconds) * 1000).toBeLessThanOrEqual(receivedAt + readyAt - launchedAt + 1_000)
      for (const wire of notesResponseSchema.parse(JSON.parse(body)).data) {
        const note = decodeNote(wire)
        expect(note.validAfter < dateSeconds && dateSeconds < note.validBefore).toBe(true)
        expect(note.validAfter === boundary - 1n).toBe(dateSeconds >= boundary)
      }
      counts[dateSeconds < boundary ? 'before' : 'after']++
      // Most requests are around the boundary.
      const distanceMs = Math.abs(receivedAt - boundaryMs)
      if (distanceMs > 250) await setTimeout(distanceMs > 2_000 ? 500 : 100)
    }
  }
  await Promise.all(Array.from({ length: 8 }, client))
  agent.destroy()
  expect(counts.before).toBeGreaterThan(0)
  expect(counts.after).toBeGreaterThan(8)
}

function secondsOf(at: string): bigint {
  return BigInt(Math.floor(Date.parse(at) / 1000))
}

async function get(url: string, { key, agent }: { key: string; agent: Agent }) {
  const { status, headers, body } = await sendRequest(url, { headers: { 'x-api-key': key }, agent })
  return { status, dateSeconds: BigInt(Date.parse(headers.date!) / 1000), body }
}

/** Expects 4 blocks from an instant on, each of the service's second. A call makes a block if the newest one is older. */
async function expectInStep(credentials: Credentials, fromSeconds: bigint): Promise<void> {
  const client = readChain(credentials)
  const first = (await client.getBlock()).number
  let seen = first
  while (seen < first + 4n) {
    const askedAt = performance.now()
    await client.readContract({ address: credentials.chains[0].pool, abi: poolAbi, functionName: 'paused' })
    const [block, { dateSeconds }] = [await client.getBlock(), await getNotes(credentials)]
    const tookSeconds = Math.ceil((performance.now() - askedAt) / 1000)
    expect(block.timestamp).toBeGreaterThanOrEqual(fromSeconds)
    // The service was asked after the chain, and the next block may be due, or a little late.
    expect(Number(dateSeconds - block.timestamp)).toBeGreaterThanOrEqual(0)
    expect(Number(dateSeconds - block.timestamp)).toBeLessThanOrEqual(2 + tookSeconds)
    seen = block.number
    // Several times per block.
    await setTimeout(100)
  }
}
