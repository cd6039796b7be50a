import { ClientError, ConnectionError, type LogStorage, type Note, verifyLogged } from '@tallystick/client'
import { explainError } from '../data/explain-error.ts'

/** Result of looking for a note in the public log. */
export type LogCheck =
  | { readonly status: 'logged'; readonly index: number; readonly size: number; readonly issuedAt: bigint }
  | { readonly status: 'missing' | 'unreachable'; readonly text: string }
  /** `evidence` has two signed checkpoints that contradict each other, or is empty. */
  | { readonly status: 'untrusted'; readonly text: string; readonly evidence: readonly string[] }
  | { readonly status: 'no-log' }

export type LogOptions = {
  /** URL of the log. */
  readonly log: string
  /** Key that the visitor has from elsewhere. Without it, the key that the service shows is used. */
  readonly key: string | undefined
  /** Keeps the last checkpoint. */
  readonly storage: LogStorage
  readonly fetch?: typeof globalThis.fetch | undefined
}

// Each needs several requests, which the service limits by address.
const periodsMax = 12

/** Looks for genuine notes in the public log. */
export async function checkLog(notes: readonly Note[], options: LogOptions): Promise<ReadonlyMap<Note, LogCheck>> {
  const shown = await fetchLogKey(options).catch(explainLogError)
  if (typeof shown === 'object') return new Map(notes.map((note) => [note, shown]))
  const key = options.key ?? shown
  const periods = [...new Set(notes.map(periodOf))]
  const skipped = { status: 'unreachable', text: `Only ${periodsMax} periods are checked at once.` } as const
  const checks = new Map<Note, LogCheck>(notes.map((note) => [note, skipped]))
  // One after another: each continues the checkpoint that the one before has stored.
  for (const period of periods.slice(0, periodsMax)) {
    const set = notes.filter((note) => periodOf(note) === period)
    for (const [note, check] of await checkSet(set, { ...options, key })) checks.set(note, check)
  }
  return checks
}

/** Returns the verifier key that the service shows. */
async function fetchLogKey({ log, fetch = globalThis.fetch }: LogOptions): Promise<string | LogCheck> {
  const response = await fetch(`${log}/key`).catch((cause: unknown) => {
    throw new ConnectionError({ code: 'connection_failed', message: 'GET /log/key received no response.', cause })
  })
  if (response.status === 404) return { status: 'no-log' }
  if (response.ok) return (await response.text()).trim()
  return { status: 'unreachable', text: `GET /log/key responded with status ${response.status}.` }
}

/** Checks the notes of one period at once, and each on its own if the log lacks one of them. */
async function checkSet(
  notes: readonly Note[],
  options: LogOptions & { readonly key: string },
): Promise<readonly (readonly [Note, LogCheck])[]> {
  const check = await verifyLogged(notes, options).then<LogCheck, LogCheck>(
    ([logged]) => ({ status: 'logged', ...(logged as NonNullable<typeof logged>) }),
    explainLogError,
  )
  if (check.status !== 'missing' || notes.length === 1) return notes.map((note) => [note, check])
  const each: (readonly [Note, LogCheck])[] = []
  for (const note of notes) each.push(...(await checkSet([note], options)))
  return each
}

function periodOf({ chainId, validAfter, validBefore }: Note): string {
  return `${chainId} ${validAfter} ${validBefore}`
}

function explainLogError(error: unknown): LogCheck {
  const { code, message, details } =
    error instanceof ClientError ? error : { code: undefined, message: '', details: {} }
  switch (code) {
    case 'not_logged':
      return { status: 'missing', text: missingText(details?.['index']) }
    case 'log_forked':
      return { status: 'untrusted', text: message, evidence: [String(details?.['known']), String(details?.['shown'])] }
    case 'log_invalid':
    // The stored checkpoint was signed with another key.
    case 'invalid_request':
      return { status: 'untrusted', text: message, evidence: [] }
    default: {
      const { title, text } = explainError(error)
      return { status: 'unreachable', text: `${title}. ${text}` }
    }
  }
}

function missingText(index: unknown): string {
  return typeof index === 'number'
    ? `Entry ${index.toLocaleString('en-US')} has other notes for this period.`
    : 'The log has no notes for this period.'
}
