import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hashNote, periodAfter, periodAt } from '@tallystick/core'
import { type JournalEntry, openSignerJournal } from '@tallystick/issuer'
import { onTestFinished } from 'vitest'

export const domain = {
  name: 'NoteSignatureVerifier',
  version: '1',
  verifyingContract: '0x529d825EBFeFd66B80aC02609c0Fbd9EaaDD6781',
} as const
export const chain = { id: 324, domain }
export const period = periodAt(1_794_762_000n)

export function entryOf({ coupon = 440n, of = period }: { coupon?: bigint; of?: typeof period } = {}): JournalEntry {
  const note = {
    chainId: 324,
    tenorDays: 7,
    maturityTimestamp: of.noteDay + 604_800n,
    coupon,
    startedAt: of.noteDay,
    validAfter: of.start - 1n,
    validBefore: of.end,
    signature: { r: `0x${'12'.repeat(32)}`, s: `0x${'34'.repeat(32)}`, v: 28 },
  } as const
  const signer = '0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1'
  return {
    domain,
    set: { chainId: 324, period: of, signer, issuedAt: of.start - 600n, notes: [note] },
    digests: [hashNote(note, domain)],
    curve: {
      chainId: null,
      effectiveFrom: of.start,
      points: { 7: 440 },
      confirmed: false,
      source: 'manual',
      provenance: null,
      createdBy: 'ann “the operator”\n',
      createdAt: of.start - 3_600n,
    },
  }
}

export async function newPath(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'tallystick-journal-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  return join(directory, 'own', 'journal.jsonl')
}

export async function openAt(path: string, { create = true } = {}) {
  const said: string[] = []
  const journal = await openSignerJournal(path, { create, say: (line) => said.push(line) })
  let closed: Promise<void> | undefined
  const close = () => {
    closed ??= journal.close()
    return closed
  }
  onTestFinished(close)
  return { ...journal, said, close }
}

export async function entriesIn(journal: Awaited<ReturnType<typeof openAt>>): Promise<JournalEntry[]> {
  const entries: JournalEntry[] = []
  for await (const entry of journal.entries()) entries.push(entry)
  return entries
}

/** A journal with the entries of three periods. */
export async function writeThree(path: string): Promise<readonly JournalEntry[]> {
  const journal = await openAt(path)
  const periods = [period, periodAfter(period), periodAfter(periodAfter(period))]
  const entries = periods.map((of) => entryOf({ of }))
  for (const entry of entries) await journal.append(entry)
  await journal.close()
  return entries
}
