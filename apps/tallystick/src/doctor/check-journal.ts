import { formatPeriod, type Period } from '@tallystick/core'
import { JournalError, readJournal } from '@tallystick/issuer'
import type { Findings } from './findings.ts'

type JournalCheckContext = { readonly path: string; readonly isRunning: boolean }

/** Reads the whole signer journal. Takes no lock and changes nothing, because a service may have it open. */
export async function checkJournal(findings: Findings, { path, isRunning }: JournalCheckContext): Promise<void> {
  try {
    const { sets, last, isIncomplete } = await summariseJournal(path)
    const content = last
      ? `${sets} signed ${sets === 1 ? 'set' : 'sets'}, the last of ${formatPeriod(last)}`
      : 'no sets'
    // A running service is probably writing that line.
    const incomplete = isIncomplete && !isRunning ? '. Its last line is incomplete: the next start removes it' : ''
    findings.ok('file', `${path} is intact: ${content}${incomplete}`)
  } catch (error) {
    explainFailure(findings, { path, isRunning, error })
  }
}

async function summariseJournal(path: string) {
  let sets = 0
  let last: Period | undefined
  let isIncomplete = false
  for await (const { entry, discard, imported } of readJournal(path)) {
    isIncomplete = !entry && !discard && !imported
    if (entry && !entry.isPending) {
      sets += 1
      if (!last || entry.set.period.start > last.start) last = entry.set.period
    }
  }
  return { sets, last, isIncomplete }
}

function explainFailure(
  findings: Findings,
  { path, isRunning, error }: JournalCheckContext & { readonly error: unknown },
): void {
  const { code } = error as NodeJS.ErrnoException
  if (error instanceof JournalError) {
    const advice = 'Do this before the next start: the service does not start with a damaged journal.'
    findings.fail('file', error.message, advice)
  } else if (code === 'ENOENT' && isRunning) {
    const advice =
      'Restore the file, or restart the service. If the service runs on another machine, run the doctor there.'
    findings.warn('file', `${path} is missing while the service runs: it cannot sign without it`, advice)
  } else if (code === 'ENOENT') findings.ok('file', `${path} does not exist yet: the first start creates it`)
  else if (code === 'EACCES' || code === 'EPERM') {
    findings.skip('file', `this user cannot read ${path} (${code}): run the doctor as the service's user`)
  } else if (code) {
    const advice = 'Set signer.journal to a file that the service can write.'
    findings.fail('file', `${path} cannot be read (${code})`, advice)
  } else throw error
}
