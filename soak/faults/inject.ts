import { execFileSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { connect, type TLSSocket } from 'node:tls'
import { findReadProblem } from '../clients/embedded-reads.ts'
import type { SoakChain } from '../environment/chain.ts'
import { placeCertificate } from '../environment/environment.ts'
import type { RpcMode } from '../environment/rpc-proxy.ts'
import type { ServiceProcess } from '../environment/service-process.ts'
import { remoteChainId } from '../judges/explain.ts'
import { changeSigner, renamePool, revokeMinter } from './administer.ts'
import { type FaultKind, type PlannedFault, replicaNames } from './fault.ts'
import { startHostileClients } from './hostile-clients.ts'
import { CannotInjectError, type EndFault, type Injector, restart } from './injector.ts'
import { watchRecovery } from './recovery.ts'
import { restoreDatabase } from './restore.ts'
import { checkRevocation } from './revocation.ts'
import { stepClocks } from './wrong-clock.ts'

/** Starts a fault and resolves to the function that ends it. Throws `CannotInjectError` if this machine does not allow it. */
export function inject(injector: Injector, fault: PlannedFault): Promise<EndFault> {
  return begin[fault.kind](injector, fault)
}

type Begin = (injector: Injector, fault: PlannedFault) => Promise<EndFault>

const begin: Readonly<Record<FaultKind, Begin>> = {
  'replica-kill': async (injector, { replicas }) => {
    const serviceProcesses = replicas.map((name) => injector.environment.replicas[name])
    await Promise.all(serviceProcesses.map((serviceProcess) => serviceProcess.end('SIGKILL')))
    return async () => {
      await Promise.all(serviceProcesses.map((serviceProcess) => restart(injector, serviceProcess)))
    }
  },
  'postgres-stop': async ({ environment: { postgres } }, { variant }) => {
    await postgres.halt(variant === 0 ? 'SIGINT' : 'SIGQUIT')
    return () => postgres.resume()
  },
  'postgres-stall': async ({ environment: { postgres } }) => {
    const resume = await postgres.stall()
    return async () => resume()
  },
  'database-restore': async (injector, fault) => {
    const restoring = restoreDatabase(injector, fault)
    // The error is handled when the fault ends.
    restoring.catch(() => undefined)
    return () => restoring
  },
  'rpc-outage': async ({ environment: { rpcs } }, { variant }) => {
    for (const rpc of rpcs) rpc.setMode(variant === 0 ? 'refuse' : 'hang')
    return async () => {
      for (const rpc of rpcs) rpc.setMode('pass')
    }
  },
  'rpc-drip': async ({ environment: { rpcs } }) => {
    for (const rpc of rpcs) rpc.setMode('drip')
    return async () => {
      for (const rpc of rpcs) rpc.setMode('pass')
    }
  },
  'rpc-drops-logs': (injector, { variant }) => falsifyRpcs(injector, variant === 0 ? 'no-logs' : 'fewer-logs'),
  'rpc-changes-chain': (injector, { variant }) => falsifyRpcs(injector, variant === 0 ? 'other-chain' : 'false-chain'),
  'role-revoked': ({ environment: { chains } }, { variant }) =>
    onChains(chains, variant === 0 ? revokeMinter : renamePool),
  'signer-changed': ({ environment: { chains, signer } }, { variant }) =>
    onChains(
      chains.filter(({ id }) => variant === 0 || id === remoteChainId),
      (chain) => changeSigner(chain, signer.address),
    ),
  reorg: async ({ environment: { chains } }) => {
    const undos = await Promise.all(chains.map((chain) => chain.remember()))
    return async () => {
      await Promise.all(undos.map((undo) => undo()))
    }
  },
  'upstream-hang': (injector) => breakUpstream(injector, 'hang'),
  'upstream-500': (injector) => breakUpstream(injector, '500'),
  'upstream-garbage': (injector) => breakUpstream(injector, 'garbage'),
  'upstream-drip': (injector) => breakUpstream(injector, 'drip'),
  'signer-outage': async ({ environment: { signer } }, { variant }) => {
    signer.setMode(variant === 0 ? 'refuse' : 'hang')
    return async () => signer.setMode('sign')
  },
  'clock-ahead': stepClocks,
  'clock-behind': stepClocks,
  'key-revocation': async (injector, { variant }) => {
    const check = checkRevocation(injector, { through: replicaNames[variant] })
    return () => check
  },
  'certificate-change': changeCertificates,
  'disk-full': fillDisk,
  'fd-pressure': exhaustDescriptors,
  'hostile-queries': startHostileClients,
}

/** Makes the nodes answer falsely. After the end, the indexes must become complete. */
async function falsifyRpcs(injector: Injector, mode: RpcMode): Promise<EndFault> {
  const { rpcs } = injector.environment
  for (const rpc of rpcs) rpc.setMode(mode)
  return async () => {
    for (const rpc of rpcs) rpc.setMode('pass')
    injector.follow(watchRecovery(injector))
  }
}

async function onChains(
  chains: readonly SoakChain[],
  change: (chain: SoakChain) => Promise<() => Promise<void>>,
): Promise<EndFault> {
  const undos = await Promise.all(chains.map(change))
  return async () => {
    await Promise.all(undos.map((undo) => undo()))
  }
}

async function breakUpstream(
  { environment: { subgraph } }: Injector,
  mode: 'hang' | '500' | 'garbage' | 'drip',
): Promise<EndFault> {
  subgraph.setMode(mode)
  return async () => subgraph.setMode('pass')
}

// The documented limit is 1 s. The files are checked every second, and the machine is busy.
const certificateMs = 2_500

async function changeCertificates(
  { environment, onViolation }: Injector,
  { variant }: PlannedFault,
): Promise<EndFault> {
  const changes = replicaNames.map(async (name) => {
    const pair = environment.authority.issue(['localhost', '127.0.0.1'])
    // In variant 1 the key file is written later, like by a tool that writes one file after the other.
    const beforeKey = () => setTimeout(variant === 0 ? 0 : 1_500)
    await placeCertificate(join(environment.directory, name), { ...pair, beforeKey })
    await setTimeout(certificateMs)
    const served = await readFingerprint(environment.replicas[name], environment.authority.cert)
    const isOld = served !== undefined && served !== new X509Certificate(pair.cert).fingerprint256
    if (isOld) onViolation(`replica ${name} still serves its old certificate`)
  })
  return async () => {
    await Promise.all(changes)
  }
}

/** Returns the fingerprint of the served certificate, or undefined if the connection fails. */
function readFingerprint({ baseUrl }: ServiceProcess, ca: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket: TLSSocket = connect({ host: '127.0.0.1', port: Number(new URL(baseUrl).port), ca }, () => {
      resolve(socket.getPeerCertificate().fingerprint256)
      socket.destroy()
    })
    socket.on('error', () => resolve(undefined))
  })
}

async function fillDisk(injector: Injector): Promise<EndFault> {
  const { onViolation } = injector
  const { disk, indexer, authority } = injector.environment
  if (disk.problem !== undefined) throw new CannotInjectError(disk.problem)
  disk.fill()
  const refill = setInterval(() => disk.fill(), 1_000)
  return async () => {
    // docs/operating/incidents.md: writes fail, reads continue, and a restart is needed.
    const problem = await findReadProblem(indexer, { ca: authority.cert, chainId: remoteChainId })
    if (problem) onViolation(`the remote subgraph cannot be read while its disk is full: ${problem}`)
    clearInterval(refill)
    disk.clear()
    await indexer.end('SIGTERM')
    await restart(injector, indexer)
  }
}

// Allows only a few more than are open.
const sparedDescriptors = 4
const extraConnections = 40

async function exhaustDescriptors({ environment }: Injector, { replicas }: PlannedFault): Promise<EndFault> {
  const [name = 'a'] = replicas
  const serviceProcess = environment.replicas[name]
  const { pid } = serviceProcess
  if (pid === undefined) throw new CannotInjectError(`replica ${name} does not run`)
  const target = ['--pid', String(pid)]
  const before = prlimit([...target, '--nofile', '--noheadings', '--output=SOFT'])
  prlimit([...target, `--nofile=${readdirSync(`/proc/${pid}/fd`).length + sparedDescriptors}:`])
  const { port } = new URL(serviceProcess.baseUrl)
  const sockets = Array.from({ length: extraConnections }, () => {
    const socket = connect({ host: '127.0.0.1', port: Number(port), rejectUnauthorized: false })
    socket.on('error', () => undefined)
    return socket
  })
  return async () => {
    for (const socket of sockets) socket.destroy()
    if (serviceProcess.pid === pid) prlimit([...target, `--nofile=${before}:`])
  }
}

function prlimit(flags: readonly string[]): string {
  try {
    return execFileSync('prlimit', flags, { stdio: 'pipe' }).toString().trim()
  } catch (error) {
    throw new CannotInjectError(`descriptors cannot be limited here (${(error as Error).message.split('\n')[0]})`)
  }
}
