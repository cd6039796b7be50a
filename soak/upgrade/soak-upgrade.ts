import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { WireNote } from '@tallystick/core'
import { startLending } from '../clients/lending.ts'
import { createClocks } from '../environment/clocks.ts'
import { type SoakEnvironment, startEnvironment } from '../environment/environment.ts'
import { ownCheckout } from '../environment/service-process.ts'
import { checkServed } from '../judges/end-checks.ts'
import { watchFuturePeriods } from '../judges/future-periods.ts'
import { type Exchange, judge } from '../judges/judge.ts'
import { createLedger } from '../judges/ledger.ts'
import { createTally } from '../judges/tally.ts'
import { formatTime, formatViolation } from '../report.ts'
import { createVerify, type SoakParts } from '../soak.ts'
import { startBalancedLoad } from './balanced-load.ts'
import { type Checkout, checkOut, nameRelease, readCommit } from './check-out.ts'
import { prepareThroughAdmin } from './prepare-through-admin.ts'
import { runUpgrade } from './run-upgrade.ts'
import { createUpgradeRecord, type UpgradeReport } from './upgrade-record.ts'

export type UpgradeSoakParts = Omit<SoakParts, 'minutes' | 'isStopped'> & { readonly ref: string }

// An ordinary day, ten minutes before a boundary.
const startsAt = '2026-11-15T22:50:00Z'

/** Runs a rolling upgrade from a ref to this version and back, under load, and returns its report. */
export async function soakUpgrade({ seed, ref, say, defer }: UpgradeSoakParts): Promise<UpgradeReport> {
  const clocks = createClocks(Date.parse(startsAt))
  let startedAt = Date.now()
  const elapsedMs = () => Date.now() - startedAt
  const tally = createTally((violation) => say(`VIOLATION ${formatViolation(violation)}`))
  const onViolation = (words: string) => tally.addViolation(words, elapsedMs())
  const directory = mkdtempSync(join(tmpdir(), 'tallystick-upgrade-'))
  let isDone = false
  defer(() => {
    // The logs are needed to find the cause of a violation.
    if (isDone && tally.violations.length === 0) rmSync(directory, { recursive: true, force: true })
    else say(`logs of the processes: ${directory}`)
  })
  say(`installing ${ref}`)
  const from = await checkOut(ref, { directory: join(directory, 'from') })
  const to: Checkout = { directory: ownCheckout, name: nameRelease(ownCheckout, await readCommit('HEAD')) }
  say(`${from.name} is installed, and is upgraded to ${to.name}`)
  const releases = new Map(['a', 'b'].map((name) => [name, from]))
  const checkoutOf = (name: string) => (releases.get(name) ?? to).directory
  const environment = await startEnvironment({
    ...{ directory, clocks, say, defer, checkoutOf },
    onCrash: onViolation,
    prepare: prepareThroughAdmin,
  })
  startedAt = Date.now()

  const record = createUpgradeRecord()
  const step = (words: string) => {
    say(`${formatTime(elapsedMs())} ${words}`)
    record.step(words, elapsedMs())
  }
  const ledger = createLedger()
  const signableSinceMs = new Map<bigint, number>()
  const notes = createNewestNotes(environment, onViolation)
  const context = { ledger, faults: [], signableSinceMs, served: new Set<string>() }
  const onExchange = (exchange: Exchange) => {
    tally.count(exchange)
    const { violations, fresh } = judge(exchange, context)
    const { status } = exchange.answer ?? {}
    const isLost = violations.length > 0 || status !== 200
    record.take(exchange, { release: releases.get(exchange.replica)?.name ?? '', isLost })
    if (status !== undefined && status !== 200 && violations.length === 0) onViolation(`${exchange.path}: ${status}`)
    for (const words of violations) onViolation(`${exchange.replica} ${exchange.path}: ${words}`)
    notes.take(fresh)
  }
  const { authority, replicas: serviceProcesses, keys } = environment
  const load = startBalancedLoad({ seed, ca: authority.cert, serviceProcesses, clocks, keys, elapsedMs, onExchange })
  defer(() => load.stop())
  const lendings = environment.chains.map((chain) =>
    startLending(chain, {
      seed: seed + chain.id,
      clock: clocks,
      notes: () => notes.of(chain.id),
      isRejecting: () => false,
      onViolation,
    }),
  )
  const stopLending = () => Promise.all(lendings.map((lending) => lending.stop()))
  defer(stopLending)
  const future = watchFuturePeriods(environment.databaseUrl, { clocks, onViolation })
  defer(() => future.stop())

  await runUpgrade({ environment, clocks, from, to, releases, signableSinceMs, elapsedMs, step, onViolation })
  await future.stop()
  await load.stop()
  await stopLending()
  await checkServed(environment, { ledger, onViolation })
  isDone = true
  const lent = lendings
    .map(({ counts }, index) => `chain ${environment.chains[index]?.id} ${JSON.stringify(counts)}`)
    .join(', ')
  const periods = new Set(ledger.notes().map(({ signature_valid_after }) => signature_valid_after)).size
  return { ...record.read(), seed, from: from.name, to: to.name, tally, retried: load.retried, periods, lent }
}

/** Verifies new notes and keeps those of the newest period of each chain. */
function createNewestNotes(environment: SoakEnvironment, onViolation: (message: string) => void) {
  const verify = createVerify(environment, onViolation)
  const newest = new Map<string, readonly WireNote[]>()
  return {
    of: (chainId: number) => newest.get(String(chainId)) ?? [],
    take: (fresh: readonly WireNote[]) => {
      for (const note of fresh) {
        verify(note)
        const period = note.signature_valid_after
        const others = (newest.get(note.chainid) ?? []).filter((one) => one.signature_valid_after === period)
        newest.set(note.chainid, [...others, note])
      }
    },
  }
}
