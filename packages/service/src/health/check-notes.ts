import { countOf } from '@tallystick/base/pure'
import type { CurveReport, Finding, ListedHookView, NotesReport } from '@tallystick/core'
import { adviseOnLimits } from '@tallystick/issuer'
import type { AuditCheck } from '@tallystick/keys'
import type { LogReport } from '@tallystick/public-log'
import { type Address, isAddressEqual } from 'viem'
import type { Config } from '../config/config.ts'

/** Reports about curve, notes and webhooks, from the service or the database. */
export type IssueReports = {
  readonly notes: NotesReport
  readonly curve: CurveReport
  /** Without hooks if the token lacks the role. */
  readonly hooks?: { readonly hooks?: readonly ListedHookView[] | undefined } | undefined
  /** Undefined if no public log is configured. */
  readonly log?: LogReport | undefined
  /** Undefined if the token lacks the role, or the service is of a release before. */
  readonly audit?: AuditCheck | undefined
}

export type NotesCheckContext = {
  readonly config: Pick<Config, 'tenors' | 'curve'>
  readonly reports: Pick<IssueReports, 'notes' | 'curve'>
  readonly isRunning: boolean
  /** Address of each chain's signer, undefined if it cannot be used. */
  readonly signers: ReadonlyMap<number, Address | undefined>
  /** What the readiness of the running service found. Its pool watch knows best what to do about withheld notes. */
  readonly readiness: readonly Finding[]
}

type ChainNotes = IssueReports['notes']['chains'][number]

/** Checks that each chain has notes, or at least a curve. The subject of each finding is a chain. */
export function checkNotes(context: NotesCheckContext): readonly Finding[] {
  const { rogue = [], chains } = context.reports.notes
  return [
    ...rogue.map(
      ({ chainId, period, issuedAt, command }): Finding => ({
        subject: `chain ${chainId}`,
        severity: 'warn',
        message: `the notes of ${period} were signed at ${issuedAt}, earlier than the sign-ahead allows`,
        remedy: `Correct the clock of the replica that signed them, then discard them: \`${command}\`.`,
      }),
    ),
    ...chains.flatMap((chain) => [
      chain.current.signed ? checkSigned(chain, context) : checkUnsigned(chain, context),
      ...(checkSigner(chain, context) ?? []),
      ...(checkNext(chain) ?? []),
    ]),
  ]
}

/** Returns the command that sets a curve. */
export function adviseOnCurve({ tenors }: Pick<Config, 'tenors'>): string {
  return `Set one: \`tallystick curve set ${tenors.map((tenor) => `${tenor}=<bps>`).join(' ')}\`.`
}

function checkSigned({ chainId, current }: ChainNotes, { readiness }: NotesCheckContext): Finding {
  const subject = `chain ${chainId}`
  const { period, notes, signer, refusal } = current
  if (!refusal) {
    return { subject, severity: 'ok', message: `${countOf(notes.length, 'note')} of ${period}, signed by ${signer}` }
  }
  const { reason, message } = refusal
  if (reason === 'pool_limits') return { subject, severity: 'fail', message, remedy: adviseOnLimits(chainId) }
  const poolRemedy = readiness.find((finding) => finding.subject === `pool of chain ${chainId}`)?.remedy
  const remedy =
    reason === 'earlier_signer'
      ? 'This is expected after a key leak. Otherwise remove rails.earlierSigner from the configuration and restart.'
      : (poolRemedy ??
        'Fix what the lines about the pool of this chain report. The service releases the notes automatically.')
  return { subject, severity: 'fail', message: `no notes of ${period} are served: ${message}`, remedy }
}

function checkUnsigned({ chainId, current }: ChainNotes, { config, reports, isRunning }: NotesCheckContext): Finding {
  const subject = `chain ${chainId}`
  const { period, refusal } = current
  const curve = reports.curve.chains.find((chain) => chain.chainId === chainId)?.current.curve
  if (refusal && (isRunning || !curve)) {
    const remedy = 'Fix the cause. The service retries automatically.'
    return { subject, severity: 'fail', message: `no notes of ${period}: ${refusal.message}`, remedy }
  }
  if (!curve && config.curve.source === 'manual') {
    const message = 'no curve is in force, so no note can be signed'
    return { subject, severity: 'fail', message, remedy: adviseOnCurve(config) }
  }
  if (isRunning) {
    const message = `no notes of ${period}, and no reason is recorded`
    return { subject, severity: 'fail', message, remedy: 'Check the service’s log.' }
  }
  return { subject, severity: 'ok', message: `the service signs the notes of ${period} when it starts` }
}

/** Warns if notes that are served are not signed by the configured signer. */
function checkSigner({ chainId, current }: ChainNotes, { signers }: NotesCheckContext): Finding[] | undefined {
  const signer = signers.get(chainId)
  const { signed, refusal, signer: signedBy } = current
  if (!signed || refusal || !signer || !signedBy || isAddressEqual(signer, signedBy as Address)) return undefined
  const message = `they are not signed by the configured signer ${signer}`
  const remedy = 'Notes are signed by it from the next boundary on.'
  return [{ subject: `chain ${chainId}`, severity: 'warn', message, remedy }]
}

function checkNext({ chainId, next }: ChainNotes): Finding[] | undefined {
  if (!next.refusal) return undefined
  const message = `the next period: ${next.refusal.message}`
  return [{ subject: `chain ${chainId}`, severity: 'warn', message, remedy: 'Fix the cause before the boundary.' }]
}
