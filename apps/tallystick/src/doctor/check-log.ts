import { countOf } from '@tallystick/base/pure'
import { countJournalEntries, type LogReport, parseLogKey, readMirrorHead } from '@tallystick/public-log'
import type { Config } from '@tallystick/service'
import { verifyCheckpoint } from '@tallystick/tlog'
import type { Findings } from './findings.ts'

const shownMax = 5

type LogToCheck = {
  readonly config: Config['log']
  readonly report: LogReport | undefined
  /** Why there is no report. */
  readonly unread: string
}

/** Checks the public log: key, checkpoint, rows, and whether the database has all that was published. */
export async function checkLog(findings: Findings, { config, report, unread }: LogToCheck): Promise<void> {
  if (!config) {
    return findings.skip('log', 'no public log is configured ("log"): nobody can check what this service signed')
  }
  if (!report) return findings.skip('log', unread)
  checkSignature(findings, { config, report })
  checkRows(findings, report)
  await checkPublished(findings, { config, report })
}

type LogCheckContext = { readonly config: NonNullable<Config['log']>; readonly report: LogReport }

function checkSignature(findings: Findings, { config, report: { checkpoint, entries } }: LogCheckContext): void {
  const key = parseLogKey(config.key.reveal())
  if (!key) {
    findings.skip('key', 'this user cannot read the key of the log (log.key)')
    return
  }
  if (!checkpoint) {
    findings.ok('checkpoint', 'there is none yet: the service signs the first one with its first notes')
    return
  }
  try {
    verifyCheckpoint(checkpoint.note, key.verifier)
    const found = `${config.origin} has ${countOf(entries, 'entry', 'entries')}, ${checkpoint.size} covered by a checkpoint`
    findings.ok('checkpoint', found)
  } catch {
    const advice = 'Configure the key that signed them. A log cannot change its key or its origin.'
    findings.fail('checkpoint', `the checkpoints in the database are not signed by the key of ${config.origin}`, advice)
  }
}

function checkRows(findings: Findings, { isRootValid, alteredRows }: LogReport): void {
  const advice = 'Find out who changed them. Restore the rows from a backup: the log has their original content.'
  if (!isRootValid) {
    findings.fail('entries', 'the entries do not have the root that the checkpoint signs', advice)
  }
  if (alteredRows.length > 0) {
    const more = alteredRows.length > shownMax ? ` and ${alteredRows.length - shownMax} more` : ''
    findings.fail('rows', `${alteredRows.slice(0, shownMax).join('; ')}${more}`, advice)
  }
  if (isRootValid && alteredRows.length === 0) findings.ok('rows', 'curves, notes and signers are as they were logged')
}

async function checkPublished(findings: Findings, { config, report }: LogCheckContext): Promise<void> {
  const size = report.checkpoint?.size ?? 0
  const key = parseLogKey(config.key.reveal())
  const journalled = await countJournalEntries(config.journal)
  const mirrored = config.mirror && key ? ((await readMirrorHead(config.mirror, key.verifier))?.size ?? 0) : 0
  const published = Math.max(journalled, mirrored)
  if (published <= size) {
    return findings.ok(
      'published',
      `the database has everything that was published here: ${countOf(published, 'entry', 'entries')}`,
    )
  }
  const found = `the database has ${countOf(size, 'entry', 'entries')}, but ${published} were published: it was restored from a backup`
  findings.fail('published', found, 'Run `tallystick notes reconcile`. Nothing is signed before.')
}
