import { Agent } from 'node:https'
import { setTimeout } from 'node:timers/promises'
import { type Readiness, readReadiness } from '../clients/admin.ts'
import { type Answer, call } from '../clients/call.ts'
import type { SoakEnvironment } from '../environment/environment.ts'
import { replicaNames } from '../faults/fault.ts'

/** The readiness of a replica before and after one request to `/notes`. */
type Probe = {
  readonly before: Readiness | undefined
  readonly notes: Pick<Answer, 'status' | 'body'> | undefined
  readonly after: Readiness | undefined
}

// These checks take a replica out of the balancer while its notes are still served.
const distrusting = /^(public listener|signed notes|public log)$/
const pollMs = 1_000

/** Returns how `/readyz` contradicts `/notes`, or undefined. A probe during which the readiness changed says nothing. */
export function findContradiction({ before, notes, after }: Probe): string | undefined {
  if (!before || !notes || !after || before.ready !== after.ready) return undefined
  const failed = [...before.findings, ...after.findings].filter(({ severity }) => severity === 'unready')
  if (notes.status === 200 && !before.ready && !failed.some(({ subject }) => distrusting.test(subject))) {
    const reasons = failed.map(({ subject, message }) => `${subject}: ${message}`).join('; ')
    return `is not ready although it serves notes (${reasons})`
  }
  // Every replica withholds what a pool would refuse.
  const isMissing = notes.status === 500 && !notes.body.includes('"withheld"')
  return isMissing && before.ready ? 'is ready although it has no notes' : undefined
}

/** Asks each replica in turn and reports one that leaves the balancer while it could serve, or stays although it cannot. */
export function watchReadiness(
  { replicas, keys, authority }: Pick<SoakEnvironment, 'replicas' | 'keys' | 'authority'>,
  onViolation: (message: string) => void,
): { stop(): Promise<void> } {
  const agent = new Agent({ ca: authority.cert, keepAlive: true })
  const headers = { 'x-api-key': keys[0] as string }
  let isStopped = false
  const watch = async (name: (typeof replicaNames)[number]) => {
    const probe = async () => {
      const before = await readReadiness(replicas[name])
      const notes = await call(`${replicas[name].baseUrl}/notes`, { agent, headers }).catch(() => undefined)
      return findContradiction({ before, notes, after: await readReadiness(replicas[name]) })
    }
    while (!isStopped) {
      // Twice: at a boundary the state may change and change back during a probe.
      const words = (await probe()) && (await probe())
      if (words) onViolation(`replica ${name} ${words}`)
      await setTimeout(pollMs)
    }
  }
  const running = Promise.all(replicaNames.map(watch))
  return {
    stop: async () => {
      isStopped = true
      await running
      agent.destroy()
    },
  }
}
