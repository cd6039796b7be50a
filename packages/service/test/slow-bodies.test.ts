// @module-tag slow

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { startLocalServer } from '@tallystick/workbench/start-local-server'
import { expect, onTestFinished, test } from 'vitest'
import { awsEnv } from './kms/fake-aws-kms.ts'

const program = fileURLToPath(new URL('slow-bodies/read-all.ts', import.meta.url))

/** Starts a server that sends headers at once, and then below /drips a byte from time to time, elsewhere nothing more. */
async function startSlowServer() {
  const open = new Map<Socket, string>()
  const server = await startLocalServer((request, response) => {
    const { socket, url = '' } = request
    open.set(socket, url)
    socket.on('close', () => open.delete(socket))
    response.writeHead(200, { 'content-type': 'application/json' }).write('[')
    if (!url.startsWith('/drips')) return
    const timer = setInterval(() => response.write(' '), 20)
    response.on('close', () => clearInterval(timer))
  })
  onTestFinished(server.stop)
  return { url: server.url, listOpen: () => [...open.values()] }
}

/** Starts the program that reads in every way, and collects garbage meanwhile. Returns the line that it prints. */
async function readAll(...urls: readonly string[]): Promise<unknown> {
  const child = spawn(process.execPath, ['--expose-gc', '--conditions=src', '--import', 'tsx', program, ...urls], {
    env: { ...process.env, ...awsEnv },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [line] = await once(child.stdout, 'data')
  return JSON.parse(String(line))
}

// The fetch of Node 20 loses its abort in a garbage collection once the headers have arrived. With it, this rarely ends.
test('error: a body that drips, or stops, ends at the deadline, and its connection is closed', async () => {
  const { url, listOpen } = await startSlowServer()
  const expected = {
    rpc: 'did not respond within 1000 ms',
    subgraph: expect.stringMatching(/^The chain’s subgraph did not (finish its )?answer in time/),
    treasury: 'The feed did not respond within 1000 ms.',
    web3signer: 'Web3Signer did not respond within 1000 ms.',
    gcp: 'Google did not respond within 1000 ms.',
    aws: 'AWS KMS did not respond within 1000 ms.',
    // The status is the result, if it arrived in time.
    webhook: expect.stringMatching(/done|no response within 1 s/),
    monitor: 'The log did not respond within 1000 ms.',
  }
  expect(await readAll(`${url}/drips`, `${url}/stops`)).toEqual([expected, expected])
  await expect.poll(listOpen).toEqual([])
})
