import { execFileSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { connect, type TLSSocket } from 'node:tls'
import { findReadProblem } from './embedded-reads.ts'
import { remoteChainId } from './explain.ts'
import { type FaultKind, type PlannedFault, replicaNames } from './fault.ts'
import { CannotInjectError, type Ending, type Injector, startAgain } from './injector.ts'
import type { Member } from './member.ts'
import { restoreDatabase } from './restore.ts'
import { checkRevocation } from './revocation.ts'
import { letStrangersIn } from './strangers.ts'
import { placeCertificate } from './world.ts'
import { stepClocks } from './wrong-clock.ts'

/** Begins a fault; what it resolves to ends it. Throws `CannotInjectError` with the reason where it is not possible here. */
export function inject(injector: Injector, fault: PlannedFault): Promise<Ending> {
  return begin[fault.kind](injector, fault)
}

type Begin = (injector: Injector, fault: PlannedFault) => Promise<Ending>

const begin: Readonly<Record<FaultKind, Begin>> = {
  'replica-kill': async (injector, { replicas }) => {
    const members = replicas.map((name) => injector.world.replicas[name])
    await Promise.all(members.map((member) => member.end('SIGKILL')))
    return async () => {
      await Promise.all(members.map((member) => startAgain(injector, member)))
    }
  },
  'postgres-stop': async ({ world: { postgres } }, { variant }) => {
    await postgres.halt(variant === 0 ? 'SIGINT' : 'SIGQUIT')
    return () => postgres.resume()
  },
  'database-restore': async (injector, fault) => {
    const restoring = restoreDatabase(injector, fault)
    // Its failure is told when it is waited for.
    restoring.catch(() => undefined)
    return () => restoring
  },
  'rpc-outage': async ({ world: { rpcs } }, { variant }) => {
    for (const rpc of rpcs) rpc.behave(variant === 0 ? 'refuse' : 'hang')
    return async () => {
      for (const rpc of rpcs) rpc.behave('pass')
    }
  },
  reorg: async ({ world: { chains } }) => {
    const undos = await Promise.all(chains.map((chain) => chain.remember()))
    return async () => {
      await Promise.all(undos.map((undo) => undo()))
    }
  },
  'upstream-hang': (injector) => spoilUpstream(injector, 'hang'),
  'upstream-500': (injector) => spoilUpstream(injector, '500'),
  'upstream-garbage': (injector) => spoilUpstream(injector, 'garbage'),
  'upstream-drip': (injector) => spoilUpstream(injector, 'drip'),
  'signer-outage': async ({ world: { signer } }, { variant }) => {
    signer.behave(variant === 0 ? 'refuse' : 'hang')
    return async () => signer.behave('sign')
  },
  'clock-ahead': stepClocks,
  'clock-behind': stepClocks,
  'key-revocation': async (injector, { variant }) => {
    const check = checkRevocation(injector, { through: replicaNames[variant] })
    return () => check
  },
  'certificate-change': changeCertificates,
  'disk-full': fillDisk,
  'fd-pressure': takeDescriptors,
  'hostile-queries': letStrangersIn,
}

async function spoilUpstream(
  { world: { subgraph } }: Injector,
  mode: 'hang' | '500' | 'garbage' | 'drip',
): Promise<Ending> {
  subgraph.behave(mode)
  return async () => subgraph.behave('pass')
}

// "Within a second" by the manual: the files are looked at every second, and the machine is busy.
const certificateMs = 2_500

async function changeCertificates({ world, onViolation }: Injector, { variant }: PlannedFault): Promise<Ending> {
  const changes = replicaNames.map(async (name) => {
    const pair = world.authority.issue(['localhost', '127.0.0.1'])
    // In one variant the key comes late, as from a tool that writes one file after the other.
    const beforeKey = () => setTimeout(variant === 0 ? 0 : 1_500)
    await placeCertificate(join(world.directory, name), { ...pair, beforeKey })
    await setTimeout(certificateMs)
    const served = await readFingerprint(world.replicas[name], world.authority.cert)
    const isOld = served !== undefined && served !== new X509Certificate(pair.cert).fingerprint256
    if (isOld) onViolation(`replica ${name} still serves its old certificate`)
  })
  return async () => {
    await Promise.all(changes)
  }
}

/** Of the certificate a new connection gets; undefined if there is no connection. */
function readFingerprint({ baseUrl }: Member, ca: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket: TLSSocket = connect({ host: '127.0.0.1', port: Number(new URL(baseUrl).port), ca }, () => {
      resolve(socket.getPeerCertificate().fingerprint256)
      socket.destroy()
    })
    socket.on('error', () => resolve(undefined))
  })
}

async function fillDisk(injector: Injector): Promise<Ending> {
  const { onViolation } = injector
  const { disk, indexer, authority } = injector.world
  if (disk.problem !== undefined) throw new CannotInjectError(disk.problem)
  disk.fill()
  const refill = setInterval(() => disk.fill(), 1_000)
  return async () => {
    // "Writes fail and reads go on; make room and restart."
    const problem = await findReadProblem(indexer, { ca: authority.cert, chainId: remoteChainId })
    if (problem) onViolation(`the remote subgraph cannot be read while its disk is full: ${problem}`)
    clearInterval(refill)
    disk.clear()
    await indexer.end('SIGTERM')
    await startAgain(injector, indexer)
  }
}

// What it has open, and hardly more.
const sparedDescriptors = 4
const pressingConnections = 40

async function takeDescriptors({ world }: Injector, { replicas }: PlannedFault): Promise<Ending> {
  const [name = 'a'] = replicas
  const member = world.replicas[name]
  const { pid } = member
  if (pid === undefined) throw new CannotInjectError(`replica ${name} does not run`)
  const target = ['--pid', String(pid)]
  const before = prlimit([...target, '--nofile', '--noheadings', '--output=SOFT'])
  prlimit([...target, `--nofile=${readdirSync(`/proc/${pid}/fd`).length + sparedDescriptors}:`])
  const { port } = new URL(member.baseUrl)
  const sockets = Array.from({ length: pressingConnections }, () => {
    const socket = connect({ host: '127.0.0.1', port: Number(port), rejectUnauthorized: false })
    socket.on('error', () => undefined)
    return socket
  })
  return async () => {
    for (const socket of sockets) socket.destroy()
    if (member.pid === pid) prlimit([...target, `--nofile=${before}:`])
  }
}

function prlimit(flags: readonly string[]): string {
  try {
    return execFileSync('prlimit', flags, { stdio: 'pipe' }).toString().trim()
  } catch (error) {
    throw new CannotInjectError(`descriptors cannot be limited here (${(error as Error).message.split('\n')[0]})`)
  }
}
