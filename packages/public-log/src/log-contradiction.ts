import type { Refusal } from '@tallystick/issuer'
import { MissingEntriesError } from './log-store.ts'

type Facts = { readonly index?: number; readonly size?: number; readonly published?: number }

const doctor = 'Run `tallystick doctor`, which lists the rows that were changed.'

const messages = {
  restored: ({ size, published }: Facts) =>
    `the database has ${size} entries of the public log, but ${published} were published. Was it restored from a backup? ` +
    'Nothing is signed until `tallystick notes reconcile` has copied the others back.',
  journal: ({ index }: Facts) =>
    `entry ${index} of the public log in the database is not the one that this replica published. Was the database ` +
    'restored, and did another replica sign since then? Two versions of the log exist. Stop all replicas, restore the ' +
    'newest backup and run `tallystick notes reconcile`.',
  mirror: () =>
    'the mirror (log.mirror) has another version of the public log than the database. Is it the mirror of another ' +
    'service? If not, two versions of the log exist: restore the newest backup of the database.',
  root: () => `the entries of the public log do not have the root that the checkpoint signs. ${doctor}`,
  entry: ({ index }: Facts) =>
    `entry ${index} of the public log does not have the hash that is stored with it. ${doctor}`,
}

/** Thrown if the log in the database contradicts what was signed or published. */
export class LogContradictionError extends Error {
  override readonly name = 'LogContradictionError'
  readonly kind: keyof typeof messages

  constructor(kind: keyof typeof messages, facts: Facts = {}) {
    super(messages[kind](facts))
    this.kind = kind
  }
}

/** Returns the reason for which nothing is signed after an error, or undefined if the error is another one. */
export function problemOf(error: unknown): Refusal | undefined {
  if (error instanceof MissingEntriesError) return { reason: 'log_contradicted', message: messages.root() }
  if (!(error instanceof LogContradictionError)) return undefined
  return { reason: error.kind === 'restored' ? 'log_restored' : 'log_contradicted', message: error.message }
}
