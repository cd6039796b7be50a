import type { Note, NoteStatus, NoteVerification } from '@tallystick/client'
import type { PortalChain } from '@tallystick/core'
import type { Tone } from '@tallystick/ui'
import type { LogCheck } from './check-log.ts'

/** Result of verifying a note. */
export type Judgement = {
  readonly note: Note
  /** Undefined if this service does not have the note's chain. */
  readonly chain: PortalChain | undefined
  readonly verification: NoteVerification | undefined
  readonly status: NoteStatus
  /** Whether the note's maturity has passed, so that the pool rejects it. */
  readonly isMature: boolean
}

/** Verdict on a note, or on several. */
export type Conclusion = { readonly tone: Tone; readonly title: string; readonly text: string }

/** Note with what is known about it. */
export type CheckedNote = {
  readonly judgement: Judgement
  /** Undefined until a genuine note was looked for in the public log. */
  readonly logCheck: LogCheck | undefined
}

const conclusions: Readonly<Record<Judgement['status'] | 'missing' | 'untrusted' | 'mature', Conclusion>> = {
  missing: {
    tone: 'bad',
    title: 'Genuine, but not logged',
    text: 'It was signed, but nobody else can see it. Do not use the note, and report it to the operator.',
  },
  untrusted: {
    tone: 'bad',
    title: 'Genuine, but the public log cannot be trusted',
    text: 'Do not use the note before the operator has explained the log.',
  },
  mature: {
    tone: 'calm',
    title: 'Genuine, but matured',
    text: 'The maturity has passed. The pool will reject the note.',
  },
  usable: {
    tone: 'good',
    title: 'Genuine and usable now',
    text: 'The pool accepts the note until the end of its period.',
  },
  'not-yet-valid': {
    tone: 'calm',
    title: 'Genuine, but not valid yet',
    text: 'The pool accepts the note from the start of its period.',
  },
  expired: {
    tone: 'calm',
    title: 'Genuine, but expired',
    text: 'The period of the note has ended. Fetch the current notes.',
  },
}

/** Returns the verdict on one note. `chainIds` are those of this service. */
export function conclude(
  { judgement: { chain, verification, status, isMature, note }, logCheck }: CheckedNote,
  chainIds: readonly number[],
): Conclusion {
  if (!chain || !verification) {
    return {
      tone: 'bad',
      title: 'Unknown chain',
      text: `The note is for chain ${note.chainId}. This service signs for ${chainIds.join(', ')}, so it cannot verify the note.`,
    }
  }
  if (!verification.valid) {
    return {
      tone: 'bad',
      title: 'Not genuine',
      text: verification.signer
        ? 'The signature is not from this service’s signer, so the pool will reject the note. The note was changed, signed for another pool, chain or domain, or signed by another key. The signature does not show which.'
        : `The signature is malformed: ${verification.reason}. The pool will reject the note.`,
    }
  }
  if (logCheck?.status === 'missing' || logCheck?.status === 'untrusted') return conclusions[logCheck.status]
  if (isMature) return conclusions.mature
  return conclusions[status]
}

const tones: readonly Tone[] = ['bad', 'warn', 'calm', 'good']

/** Returns the one verdict on all notes of a response. */
export function concludeAll(notes: readonly CheckedNote[], chainIds: readonly number[]): Conclusion {
  const conclusions = notes.map((note) => conclude(note, chainIds))
  const genuine = notes.filter(({ judgement }) => judgement.verification?.valid)
  const has = (tone: Tone) => conclusions.some((each) => each.tone === tone)
  // The worst first.
  const ordered = tones.flatMap((tone) => conclusions.filter((each) => each.tone === tone))
  const groups = [...new Set(ordered.map(({ title }) => title))].map((title) => {
    const numbers = conclusions.flatMap((each, index) => (each.title === title ? index + 1 : []))
    return numbers.length === notes.length ? `All: ${lowerFirst(title)}.` : `${title}: ${listNumbers(numbers)}.`
  })
  return {
    tone: has('bad') ? 'bad' : has('calm') ? 'calm' : 'good',
    title: `${genuine.length} of ${notes.length} genuine`,
    text: [...groups, ...describeLog(genuine)].join(' '),
  }
}

/** Describes what the log says about the genuine notes, as far as the verdicts on them do not say it. */
function describeLog(genuine: readonly CheckedNote[]): readonly string[] {
  if (genuine.length === 0) return []
  const count = (status: LogCheck['status'] | undefined) =>
    genuine.filter(({ logCheck }) => logCheck?.status === status).length
  if (count(undefined) > 0) return ['Looking them up in the public log…']
  if (count('no-log') > 0) return ['This service has no public log.']
  const unknown = count('unreachable')
  return [
    `${count('logged')} of ${genuine.length} are in the public log.`,
    ...(unknown > 0 ? [`Of ${unknown} it is not known, because the log cannot be reached.`] : []),
  ]
}

const numbersMax = 8

function listNumbers(numbers: readonly number[]): string {
  const shown = numbers.slice(0, numbersMax).join(', ')
  const rest = numbers.length - numbersMax
  return `${numbers.length === 1 ? 'note' : 'notes'} ${shown}${rest > 0 ? ` and ${rest} more` : ''}`
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}
