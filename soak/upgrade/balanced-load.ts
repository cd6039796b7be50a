import { Agent } from 'node:https'
import { setTimeout } from 'node:timers/promises'
import { createRandom } from '@tallystick/workbench/random'
import { readReadiness } from '../clients/admin.ts'
import { chooseRequest, exchange, type LoadOptions } from '../clients/load.ts'
import { type ReplicaName, replicaNames } from '../faults/fault.ts'
import type { Exchange } from '../judges/judge.ts'
import { chooseReplica } from './choose-replica.ts'

export type BalancedLoad = {
  /** Number of attempts that failed on one replica and were sent to the other. */
  readonly retried: number
  stop(): Promise<void>
}

export type BalancedLoadOptions = Pick<
  LoadOptions,
  'seed' | 'ca' | 'serviceProcesses' | 'clocks' | 'keys' | 'elapsedMs' | 'onExchange'
>

const callerCount = 8
const thinkMs = 45
// A third of the lame-duck time, like the interval of a balancer's health check.
const probeMs = 1_500
// A connection that was closed between two requests, a replica that just ended, and then the other one.
const attemptsMax = 4

/**
 * Starts clients behind a balancer: each request goes to a replica that was ready at the last probe, and to the other one
 * if the connection fails. All requests only read, so that they can be sent again. Only the last attempt is an exchange.
 */
export function startBalancedLoad(options: BalancedLoadOptions): BalancedLoad {
  const ready = new Set<ReplicaName>(replicaNames)
  let isStopped = false
  let retried = 0
  const probe = async (name: ReplicaName) => {
    while (!isStopped) {
      const readiness = await readReadiness(options.serviceProcesses[name])
      if (readiness?.ready) ready.add(name)
      else ready.delete(name)
      await setTimeout(probeMs)
    }
  }
  const caller = async (number: number) => {
    const random = createRandom(options.seed + number)
    const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: options.ca })
    const key = options.keys[number % options.keys.length] as string
    while (!isStopped) {
      const request = chooseRequest(random)
      let replica = chooseReplica(ready, random())
      let made: Exchange
      for (let attempt = 1; ; attempt++) {
        made = await exchange(options, { replica, request, key, agent, allowance: undefined, known: undefined })
        if (made.answer || attempt === attemptsMax) break
        retried++
        replica = replica === 'a' ? 'b' : 'a'
      }
      options.onExchange(made)
      await setTimeout(thinkMs * (0.5 + random()))
    }
    agent.destroy()
  }
  const running = [...replicaNames.map(probe), ...Array.from({ length: callerCount }, (_, number) => caller(number))]
  return {
    get retried() {
      return retried
    },
    stop: async () => {
      isStopped = true
      await Promise.all(running)
    },
  }
}
