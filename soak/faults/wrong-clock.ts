import { setTimeout } from 'node:timers/promises'
import { periodAt } from '@tallystick/core'
import { readReadiness } from '../clients/admin.ts'
import { noticeMs } from '../judges/judge.ts'
import type { PlannedFault, ReplicaName } from './fault.ts'
import type { EndFault, Injector } from './injector.ts'

const minutesMs = 5 * 60_000
const dayMs = 86_400_000
const pollMs = 1_000

/** Steps clocks by five minutes or a day and checks that `/readyz` reports it. */
export async function stepClocks(
  injector: Injector,
  { replicas, variant, kind }: Pick<PlannedFault, 'replicas' | 'variant' | 'kind'>,
): Promise<EndFault> {
  const { clocks } = injector
  const stepMs = (variant === 0 ? minutesMs : dayMs) * (kind === 'clock-ahead' ? 1 : -1)
  await Promise.all(replicas.map((name) => clocks.step(name, stepMs)))
  let isOver = false
  const watches = replicas.map((name) => watchReadiness(injector, { name, stepMs, isOver: () => isOver }))
  return async () => {
    isOver = true
    await Promise.all(watches)
    await Promise.all(replicas.map((name) => clocks.step(name, 0)))
  }
}

/** Reports a replica that stays ready although its clock is in the wrong period. */
async function watchReadiness(
  { clocks, environment, onViolation }: Injector,
  { name, stepMs, isOver }: { readonly name: ReplicaName; readonly stepMs: number; readonly isOver: () => boolean },
): Promise<void> {
  let agreedAtMs = Date.now()
  while (!isOver()) {
    const readiness = await readReadiness(environment.replicas[name])
    if (isSamePeriod(clocks.now(), clocks.now() + stepMs)) agreedAtMs = Date.now()
    else if (readiness?.ready && Date.now() - agreedAtMs > noticeMs) {
      return onViolation(`replica ${name} is ready with its clock wrong by ${stepMs / 1000} s`)
    }
    await setTimeout(pollMs)
  }
}

function isSamePeriod(oneMs: number, otherMs: number): boolean {
  const startAt = (ms: number) => periodAt(BigInt(Math.floor(ms / 1000))).start
  return startAt(oneMs) === startAt(otherMs)
}
