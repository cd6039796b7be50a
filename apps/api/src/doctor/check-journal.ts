import { formatPeriod, type Period } from '@tallystick/core'
import { JournalError, readJournal } from '../notes/journal/journal-file.ts'
import type { Findings } from './findings.ts'

type JournalCheckContext = { readonly path: string; readonly isRunning: boolean }

/** Reads the signer journal to its end. Takes no lock and changes nothing: a service may have it open. */
export async function checkJournal(findings: Findings, context: JournalCheckContext): Promise<void> {
  const { path, isRunning } = context
  try {
    const { sets, last, isTorn } = await summariseJournal(path)
    const content = last
      ? `${sets} signed ${sets === 1 ? 'set' : 'sets'}, the last of ${formatPeriod(last)}`
      : 'no sets'
    // Beside a running service, that line is most likely being written.
    const torn = isTorn && !isRunning ? '. Its last line was never finished: the next start cuts it off' : ''
    findings.ok('file', `${path} is intact: ${content}${torn}`)
  } catch (error) {
    explainFailure(findings, { ...context, error })
  }
}

async function summariseJournal(path: string) {
  let sets = 0
  let last: Period | undefined
  let isTorn = false
  for await (const { entry } of readJournal(path)) {
    if (!entry) isTorn = true
    else {
      sets += 1
      if (!last || entry.set.period.start > last.start) last = entry.set.period
    }
  }
  return { sets, last, isTorn }
}

function explainFailure(
  findings: Findings,
  { path, isRunning, error }: JournalCheckContext & { readonly error: unknown },
): void {
  const { code } = error as NodeJS.ErrnoException
  if (error instanceof JournalError) {
    findings.fail('file', error.message, 'Do that before the next start: the service does not start with it.')
  } else if (code === 'ENOENT' && isRunning) {
    const advice = 'Put the file back, or restart the service. If the service runs on another machine, look there.'
    findings.warn('file', `there is none at ${path} while the service runs: it cannot sign without`, advice)
  } else if (code === 'ENOENT') findings.ok('file', `there is none at ${path} yet: the first start creates it`)
  else if (code === 'EACCES' || code === 'EPERM') {
    findings.skip('file', `this user may not read ${path} (${code}): run the doctor as the service's user`)
  } else if (code) {
    const advice = 'Set signer.journal to a file that the service can write.'
    findings.fail('file', `${path} cannot be read (${code})`, advice)
  } else throw error
}
