import type { ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { poolAbi } from '@tallystick/contracts'
import type { Note } from '@tallystick/core'
import { findFreePort } from '@tallystick/workbench/free-port'
import { startLocalServer } from '@tallystick/workbench/start-local-server'
import { encodeFunctionData, encodeFunctionResult, type Hex } from 'viem'
import { expect, onTestFinished, test } from 'vitest'
import { createPoolReader } from '../src/pool/pool-reader.ts'

const pool = '0x529d825EBFeFd66B80aC02609c0Fbd9EaaDD6781'
const note: Note = {
  chainId: 324,
  maturityTimestamp: 1739314800n,
  coupon: 401n,
  startedAt: 1737435600n,
  validAfter: 1737521999n,
  validBefore: 1737586799n,
  signature: { r: `0x${'11'.repeat(32)}`, s: `0x${'22'.repeat(32)}`, v: 27 },
}
const selectorOf = (functionName: 'isFloatingIncomeSynced' | 'DOMAIN_SEPARATOR') =>
  encodeFunctionData({ abi: poolAbi, functionName })

type Answer = { readonly result: unknown } | { readonly error: object } | 'never'

/** Starts a node of chain 324 with code at every address and the given responses to `eth_call`. */
async function startNode(answerCall: (params: readonly unknown[]) => Answer, chainId = '0x144') {
  const hanging: ServerResponse[] = []
  const server = await startLocalServer(async (request, response) => {
    const { id, method, params } = JSON.parse(await text(request))
    const known: Record<string, unknown> = { eth_chainId: chainId, eth_getCode: '0x6000' }
    const answer = method in known ? { result: known[method] } : answerCall(params)
    if (answer === 'never') hanging.push(response)
    else response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
  })
  onTestFinished(server.stop)
  return server.url
}

function readerOf(rpcUrls: readonly string[], deadlineMs?: number) {
  const reader = createPoolReader({ chainId: 324, rpcUrls, pool, deadlineMs })
  onTestFinished(reader.close)
  return reader
}

const yes = encodeFunctionResult({ abi: poolAbi, functionName: 'paused', result: true })
const dataOf = ([call]: readonly unknown[]) => (call as { readonly data: Hex }).data

test('default: a getter that the pool does not have is undefined', async () => {
  const url = await startNode((params) => {
    if (dataOf(params) === selectorOf('isFloatingIncomeSynced')) return { result: yes }
    if (dataOf(params) === selectorOf('DOMAIN_SEPARATOR')) return { error: { code: 3, message: 'execution reverted' } }
    return { result: '0x' }
  })
  expect(await readerOf([url]).readViews()).toEqual({
    isFloatingIncomeSynced: true,
    DOMAIN_SEPARATOR: undefined,
    lastFloatingIncomeUpdateDay: undefined,
  })
})

test('behavior: uses the next RPC if the first is down or serves another chain', async () => {
  const other = await startNode(
    () => ({ result: encodeFunctionResult({ abi: poolAbi, functionName: 'paused', result: false }) }),
    '0x1',
  )
  const good = await startNode(() => ({ result: yes }))
  const down = `http://127.0.0.1:${await findFreePort()}`
  const reader = readerOf([down, other, good])
  expect(await reader.readViews()).toMatchObject({ isFloatingIncomeSynced: true })
  expect(reader.problem).toMatch(/cannot be reached \(ECONNREFUSED\); .* serves chain 1, not chain 324/)
})

test('error: a call to an RPC that hangs ends at the deadline or with the caller’s signal', async () => {
  const url = await startNode(() => 'never')
  const failure = { name: 'ChainError', message: 'the chain did not respond within 50 ms.' }
  await expect(readerOf([url], 50).readViews()).rejects.toMatchObject(failure)
  const controller = new AbortController()
  const reading = readerOf([url]).readPauses(controller.signal)
  controller.abort()
  await expect(reading).rejects.toMatchObject({ name: 'ChainError', message: 'the call to the chain was aborted.' })
})

test('error: the message names the host and nothing else of the URL', async () => {
  const url = `http://127.0.0.1:${await findFreePort()}/v2/a-key-of-the-operator`
  const error = (await readerOf([url])
    .validate([note])
    .catch((error) => error)) as Error
  expect(error.message).toMatch(/^RPC 127\.0\.0\.1:\d+ cannot be reached \(ECONNREFUSED\)\.$/)
  expect(error.message).not.toContain('a-key-of-the-operator')
})

test.each([
  [
    'the data of an error with code 3',
    { code: 3, message: 'execution reverted', data: '0x1d84733b' },
    'InvalidSignature',
  ],
  [
    'a text with the data',
    { code: -32015, message: 'VM execution error', data: 'Reverted 0x1d84733b' },
    'InvalidSignature',
  ],
  [
    'a text of a generic error',
    { code: -32000, message: 'execution reverted', data: 'Reverted 0x1d84733b' },
    'InvalidSignature',
  ],
  [
    'an object in place of the data',
    { code: -32000, message: 'reverted', data: { data: '0x1d84733b' } },
    'InvalidSignature',
  ],
  ['a message without data', { code: -32000, message: 'execution reverted' }, 'unknown'],
])('behavior: finds revert data in %s', async (_, error, reason) => {
  const url = await startNode(() => ({ error }))
  const verdict = readerOf([url]).validate([note], { atSeconds: 1737530000n })
  await expect(verdict).resolves.toMatchObject({ outcome: 'refused', refusals: [{ reason, note }] })
})

test.each([
  ['too many arguments', { code: -32602, message: 'too many arguments, want at most 2' }],
  ['a text of its own', { code: -32000, message: 'block overrides are not supported' }],
])('behavior: a node without support for block times does not reject the note: %s', async (_, error) => {
  const url = await startNode((params) => (params.length > 2 ? { error } : { result: '0x' }))
  const reader = readerOf([url])
  expect(await reader.validate([note], { atSeconds: 1737530000n })).toMatchObject({ outcome: 'time_unsupported' })
  expect(await reader.validate([note])).toEqual({ outcome: 'accepted' })
})

test('behavior: many notes at once cause no warning of a leak', async () => {
  const warnings: Error[] = []
  const keep = (warning: Error) => warnings.push(warning)
  process.on('warning', keep)
  onTestFinished(() => {
    process.off('warning', keep)
  })
  const reader = readerOf([await startNode(() => ({ result: '0x' }))])
  expect(await reader.validate(Array.from({ length: 20 }, () => note))).toEqual({ outcome: 'accepted' })
  expect(warnings).toEqual([])
})
