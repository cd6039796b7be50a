import { within } from '@tallystick/base'
import { formatPeriod, periodAt, TallystickError } from '@tallystick/core'
import { type Database, openDatabase } from '@tallystick/database'
import { JournalError } from '../journal/journal-file.ts'
import { keyOf } from '../journal/signer-journal.ts'
import type { Claim, ClaimConflict } from './claim.ts'
import { type ClaimBatches, claimAll, prepareClaims, restateAll, type VoidedClaims, voidClaims } from './claim-store.ts'

/** Notes of a chain and period that were claimed with other terms than a replica wants to sign, or has signed. */
export type Contradiction = PeriodOfClaims & { readonly message: string }

type PeriodOfClaims = Pick<Claim, 'chainId' | 'domain' | 'periodStart'>

/**
 * A second database, in which all replicas claim a digest before they sign it, so that none contradicts what another signed,
 * whatever its journal and the service's database say. Every call has a deadline and throws `JournalError`.
 */
export type SignerProtection = {
  /** Claims the digests of a set. Resolves once that is durable. Throws, and claims none, if one has other terms. */
  claim(claims: readonly Claim[]): Promise<void>
  /** Records what a journal has and the database lacks. Returns what contradicts it. */
  restate(claims: readonly Claim[]): Promise<readonly Contradiction[]>
  /** Voids the claims of a period, or some of its digests. */
  discard(voided: VoidedClaims): Promise<void>
  /** The contradictions that were found, the last one of each chain and period. */
  contradictions(): readonly Contradiction[]
  /** Why the database could not be used the last time; undefined if it could. */
  problem(): string | undefined
  close(): Promise<void>
}

// The sign-ahead is 10 minutes. One attempt must not use up much of it.
const deadlineMs = 10_000
const openOptions = { connectionsMax: 2, statementTimeoutMs: 5_000 }

/** Creates the protection without connecting: a service serves the notes it has, also while that database is away. */
export function createSignerProtection(url: string): SignerProtection {
  const connection = createConnection(url)
  const found = new Map<string, Contradiction>()
  let problem: string | undefined
  const run = async <Result>(work: (database: Database) => Promise<Result>): Promise<Result> => {
    try {
      // Work that ends later is harmless: a claim can be repeated.
      const result = await within(connection.open().then(work), { limitMs: deadlineMs, onLate: throwLate })
      problem = undefined
      return result
    } catch (error) {
      problem = describeFailure(error)
      const message = `the database of signer.protection cannot be used: ${problem} Nothing is signed without it. The service retries automatically.`
      throw new JournalError({ reason: 'protection_failed', message, cause: error })
    }
  }
  const settle = (claims: readonly Claim[], contradictions: readonly Contradiction[]) => {
    for (const claim of claims) found.delete(keyOf(claim))
    for (const contradiction of contradictions) found.set(keyOf(contradiction), contradiction)
  }
  return {
    claim: async (claims) => {
      const conflicts = await run((database) => claimAll(database, [claims]))
      const contradictions = describeConflicts(conflicts)
      settle(claims, contradictions)
      const [first] = contradictions
      if (first) throw new JournalError({ reason: 'protection_contradicted', message: first.message })
    },
    restate: async (claims) => {
      const contradictions = describeConflicts(await run((database) => restateAll(database, claims)))
      settle(claims, contradictions)
      return contradictions
    },
    discard: async (voided) => {
      await run((database) => voidClaims(database, voided))
      found.delete(keyOf(voided))
    },
    contradictions: () => [...found.values()],
    problem: () => problem,
    close: connection.close,
  }
}

/** Opens the database of a protection for a command, which closes it. Throws the error of the database itself. */
export async function openProtection(url: string): Promise<Database> {
  const database = await openDatabase(url, openOptions)
  try {
    await prepareClaims(database)
    return database
  } catch (error) {
    await database.close()
    throw error
  }
}

export async function claimOrThrow(database: Database, batches: ClaimBatches): Promise<void> {
  const [first] = describeConflicts(await claimAll(database, batches))
  if (first) throw new JournalError({ reason: 'protection_contradicted', message: first.message })
}

/** Opens the database at the first use, and again after a failure. */
function createConnection(url: string) {
  let opened: Promise<Database> | undefined
  return {
    open: () => {
      opened ??= openProtection(url).catch((error) => {
        opened = undefined
        throw error
      })
      return opened
    },
    close: async () => {
      await (await opened?.catch(() => undefined))?.close()
    },
  }
}

/** Returns one contradiction per chain and period. */
function describeConflicts(conflicts: readonly ClaimConflict[]): Contradiction[] {
  const periods = new Map(conflicts.map(({ refused }) => [keyOf(refused), refused]))
  return [...periods].map(([key, { chainId, domain, periodStart }]) => {
    const ofPeriod = conflicts.filter(({ refused }) => keyOf(refused) === key)
    const notes = ofPeriod.map(({ refused: { tenorDays, coupon }, claimed }) => {
      if (!claimed) return `the ${tenorDays}-day note was voided meanwhile`
      if (claimed.coupon === coupon) return `the ${tenorDays}-day note has other terms`
      return `the ${tenorDays}-day note has ${claimed.coupon} bps, not ${coupon} bps`
    })
    const message =
      `chain ${chainId}, ${formatPeriod(periodAt(periodStart))}: another replica claimed other notes in signer.protection: ` +
      `${notes.join(', ')}. Was the database restored? Run \`tallystick notes reconcile\` on the replica that signed them, ` +
      'or set a curve with those coupons.'
    return { chainId, domain, periodStart, message }
  })
}

/** Returns what failed, without a text of the server: it may quote rows. */
function describeFailure(error: unknown): string {
  if (error instanceof TallystickError) return error.message
  const { code } = error as { code?: unknown }
  if (code === '42501') return 'Its user may not create, read or insert into signer_claims.'
  if (code === '57014' || code === '55P03' || code === '25P03') return 'A statement took too long.'
  return typeof code === 'string' ? `A statement failed (${code}).` : (error as Error).message
}

function throwLate(): never {
  throw new Error(`No response within ${deadlineMs / 1000} s.`)
}
