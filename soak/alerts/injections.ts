import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { connect } from 'node:tls'
import { poolAbi } from '@tallystick/contracts'
import { openDatabase } from '@tallystick/database'
import { minterRole, sandboxWallets } from '@tallystick/sandbox'
import { createCertificateAuthority } from '@tallystick/workbench/certificate-authority'
import { callNode } from '@tallystick/workbench/dev-chain/call-node'
import { encodeFunctionData } from 'viem'
import { postAdmin } from '../clients/admin.ts'
import { placeCertificate } from '../environment/environment.ts'
import { goodRows, type Stage } from './stage.ts'

/** Something that goes wrong on the stage, and the alerts that must fire. */
export type Injection = {
  readonly name: string
  readonly alerts: readonly string[]
  /** Begins it. Returns what ends it. */
  readonly begin: (stage: Stage) => Promise<() => Promise<unknown> | unknown>
}

const dayMs = 86_400_000
// A start takes some seconds, and much longer on a machine with many times its load.
const startMs = 120_000
// The authority's certificates are valid for 800 days.
const almostExpired = () =>
  createCertificateAuthority(new Date(Date.now() - 795 * dayMs)).issue(['localhost', '127.0.0.1'])

/**
 * Injections in their order. Those of the Treasury are first, because its rates are not fetched any more when the next
 * period is signed. The last one deletes the database and is not undone.
 */
export const injections: readonly Injection[] = [
  {
    name: 'Treasury with rates of last week, at the first start',
    alerts: ['TallystickOldRates'],
    begin: async (stage) => () => {
      stage.rows = goodRows
    },
  },
  {
    name: 'Treasury that is away',
    alerts: ['TallystickTreasuryFeed'],
    begin: (stage) => withRows(stage, undefined),
  },
  {
    name: 'Treasury without SOFR',
    alerts: ['TallystickSecondSource'],
    begin: async (stage) => {
      stage.hasSofr = false
      await restart(stage)
      return () => {
        stage.hasSofr = true
      }
    },
  },
  {
    name: 'Treasury whose newest row lacks a bill',
    alerts: ['TallystickMissingBills'],
    begin: (stage) => withRows(stage, [...goodRows, { date: '2026-11-18', discount: { 4: '3.82', 17: '3.72' } }]),
  },
  {
    name: 'certificate that expires in 5 days',
    alerts: ['TallystickCertificate'],
    begin: async ({ directory, certificate }) => {
      await placeCertificate(directory, almostExpired())
      return () => placeCertificate(directory, certificate)
    },
  },
  {
    name: 'more connections than allowed',
    alerts: ['TallystickConnectionsRefused'],
    begin: async ({ service }) => {
      const sockets = Array.from({ length: 40 }, () => {
        const socket = connect({
          host: '127.0.0.1',
          port: Number(new URL(service.baseUrl).port),
          rejectUnauthorized: false,
        })
        return socket.on('error', () => undefined)
      })
      return () => sockets.forEach((socket) => void socket.destroy())
    },
  },
  {
    name: 'main thread that is stopped again and again',
    alerts: ['TallystickSlowMainThread'],
    begin: async ({ service }) => {
      const pulse = setInterval(async () => {
        const { pid } = service
        if (pid === undefined) return
        process.kill(pid, 'SIGSTOP')
        await setTimeout(300)
        process.kill(pid, 'SIGCONT')
      }, 700)
      return () => clearInterval(pulse)
    },
  },
  {
    name: 'monitor with a wrong key and a dead RPC',
    alerts: ['TallystickMonitorFinding', 'TallystickMonitorStuck', 'TallystickMonitorWarnings'],
    begin: async ({ startMonitor }) => startMonitor(),
  },
  { name: 'monitor that was killed', alerts: ['TallystickMonitorDown'], begin: async () => () => undefined },
  {
    name: 'webhook whose receiver fails, and a paused pool, which makes events',
    alerts: ['TallystickPoolProblem', 'TallystickWebhooksFail'],
    begin: async (stage) => {
      stage.hookStatus = 500
      await postAdmin(stage.service, {
        path: '/hooks',
        body: { url: stage.hookUrl, types: ['status', 'notes', 'rate'] },
      })
      return pausePool(stage)
    },
  },
  {
    name: 'webhook whose receiver is gone',
    alerts: ['TallystickWebhookOff'],
    begin: async (stage) => {
      stage.hookStatus = 410
      return () => undefined
    },
  },
  {
    name: 'another signer on the pool',
    alerts: ['TallystickPoolSigner', 'TallystickPoolRejectsNotes'],
    begin: async (stage) => {
      const setSigner = (signer: `0x${string}`) =>
        send(stage, encodeFunctionData({ abi: poolAbi, functionName: 'setVerifierSigner', args: [signer] }))
      await setSigner('0x1111111111111111111111111111111111111111')
      await restart(stage)
      return () => setSigner(stage.signerAddress)
    },
  },
  {
    name: 'pool that may not mint',
    alerts: ['TallystickPoolWiring'],
    begin: async (stage) => {
      const { pool, token } = stage.chain.protocol
      const call = (functionName: 'revokeRole' | 'grantRole') =>
        send(stage, encodeFunctionData({ abi: poolAbi, functionName, args: [minterRole, pool] }), token)
      await call('revokeRole')
      return () => call('grantRole')
    },
  },
  {
    name: 'pool without code',
    alerts: ['TallystickPoolRefuses'],
    begin: async ({ chain }) => {
      const { pool } = chain.protocol
      const setCode = (code: unknown) => callNode(chain.url, [{ method: 'hardhat_setCode', params: [pool, code] }])
      const [code] = await callNode(chain.url, [{ method: 'eth_getCode', params: [pool, 'latest'] }])
      await setCode('0x')
      return () => setCode(code)
    },
  },
  {
    name: 'log on a full disk',
    alerts: ['TallystickLogLinesLost'],
    begin: async (stage) => {
      stage.logPath = '/dev/full'
      await restart(stage)
      // Causes a line after the start.
      const unpause = await pausePool(stage)
      return () => {
        stage.logPath = undefined
        return unpause()
      }
    },
  },
  {
    name: 'mirror that was lost and cannot be written',
    alerts: ['TallystickLogMirror'],
    begin: async (stage) => {
      const mirror = join(stage.directory, 'mirror')
      await restart(stage, () => {
        rmSync(mirror, { recursive: true, force: true })
        mkdirSync(mirror)
        writeFileSync(join(mirror, 'tile'), 'A file where a directory should be.')
      })
      return () => rmSync(join(mirror, 'tile'))
    },
  },
  {
    name: 'RPC that is away at the start',
    alerts: ['TallystickEmbeddedSubgraph', 'TallystickNoPreflight'],
    begin: async (stage) => {
      stage.rpc.setMode('refuse')
      await restart(stage)
      return () => stage.rpc.setMode('pass')
    },
  },
  {
    name: 'changed row in the database',
    alerts: ['TallystickRowsChanged'],
    begin: async (stage) => {
      await restart(stage, () => changeNotes(stage, 1))
      return () => restart(stage, () => changeNotes(stage, -1))
    },
  },
  {
    name: 'lost database',
    alerts: ['TallystickPublicLog'],
    begin: async (stage) => {
      await restart(stage, () => rmSync(join(stage.directory, 'db'), { recursive: true, force: true }))
      return () => undefined
    },
  },
]

/** Restarts the service of the stage. `change` runs while it is stopped. */
async function restart({ service }: Pick<Stage, 'service'>, change: () => unknown = () => undefined): Promise<void> {
  await service.end('SIGTERM')
  await change()
  const isLate = await Promise.race([service.start(), setTimeout(startMs, true, { ref: false })])
  if (isLate) throw new Error(`The service of the stage is not ready after ${startMs / 1000} s.`)
}

async function withRows(stage: Stage, rows: Stage['rows']): Promise<() => void> {
  stage.rows = rows
  await restart(stage)
  return () => {
    stage.rows = goodRows
  }
}

async function pausePool(stage: Stage): Promise<() => Promise<void>> {
  await send(stage, encodeFunctionData({ abi: poolAbi, functionName: 'pause' }))
  return () => send(stage, encodeFunctionData({ abi: poolAbi, functionName: 'unpause' }))
}

async function send({ chain }: Stage, data: `0x${string}`, to = chain.protocol.pool): Promise<void> {
  const transaction = { from: sandboxWallets().admin.address, to, data, gas: '0x100000' }
  await callNode(chain.url, [{ method: 'eth_sendTransaction', params: [transaction] }])
  await callNode(chain.url, [{ method: 'evm_mine', params: [] }])
}

async function changeNotes({ directory }: Stage, bps: number): Promise<void> {
  const database = await openDatabase(`file:${join(directory, 'db')}`)
  await database.query('update notes set coupon_bps = coupon_bps + $1', [bps])
  await database.close()
}
