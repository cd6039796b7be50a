import { adviseOnLimits } from '@tallystick/issuer'
import { type Address, isAddressEqual } from 'viem'
import type { Config } from '../config/config.ts'
import type { Findings } from './findings.ts'
import type { IssueReports } from './issue-reports.ts'

export type NotesCheckContext = {
  readonly config: Config
  /** Undefined if neither a service nor a database answered. */
  readonly reports: IssueReports | undefined
  readonly isRunning: boolean
  /** Whether the database has no data. */
  readonly isEmpty: boolean
  /** Address of each chain's signer, undefined if it cannot be used. */
  readonly signers: ReadonlyMap<number, Address | undefined>
  /** What the running service says to do about each chain's pool. */
  readonly remedies?: ReadonlyMap<number, string> | undefined
}

/** Returns what to do about notes that are signed and withheld. The pool watch of a running service knows best. */
function adviseOnWithheld(reason: string, remedy: string | undefined): string {
  if (reason === 'earlier_signer') {
    return 'This is expected after a key leak. Otherwise remove rails.earlierSigner from the configuration and restart.'
  }
  return (
    remedy ?? 'Fix what the lines about the pool of this chain report. The service releases the notes automatically.'
  )
}

/** Checks that each chain has notes, or at least a curve. */
export function checkNotes(
  findings: Findings,
  { config, reports, isRunning, isEmpty, signers, remedies }: NotesCheckContext,
): void {
  const setCurve = `Set one: \`tallystick curve set ${config.tenors.map((tenor) => `${tenor}=<bps>`).join(' ')}\`.`
  if (!reports) {
    if (isRunning) findings.fail('notes', 'the service does not report its notes', 'Check its log.')
    else if (isEmpty && config.curve.source === 'manual') findings.fail('curve', 'no curve was ever set', setCurve)
    else findings.skip('notes', 'curve and notes could not be read')
    return
  }
  for (const { chainId, period, issuedAt, command } of reports.notes.rogue ?? []) {
    findings.warn(
      `chain ${chainId}`,
      `the notes of ${period} were signed at ${issuedAt}, earlier than the sign-ahead allows`,
      `Correct the clock of the replica that signed them, then discard them: \`${command}\`.`,
    )
  }
  for (const { chainId, current, next } of reports.notes.chains) {
    const name = `chain ${chainId}`
    const curve = reports.curve.chains.find((chain) => chain.chainId === chainId)?.current.curve
    if (current.signed && current.refusal?.reason === 'pool_limits') {
      findings.fail(name, current.refusal.message, adviseOnLimits(chainId))
    } else if (current.signed && current.refusal) {
      const found = `no notes of ${current.period} are served: ${current.refusal.message}`
      findings.fail(name, found, adviseOnWithheld(current.refusal.reason, remedies?.get(chainId)))
    } else if (current.signed) {
      findings.ok(name, `${current.notes.length} notes of ${current.period}, signed by ${current.signer}`)
      const signer = signers.get(chainId)
      if (signer && current.signer && !isAddressEqual(signer, current.signer as Address)) {
        findings.warn(
          name,
          `they are not signed by the configured signer ${signer}`,
          'Notes are signed by it from the next boundary on.',
        )
      }
    } else if (current.refusal && (isRunning || !curve)) {
      findings.fail(
        name,
        `no notes of ${current.period}: ${current.refusal.message}`,
        'Fix the cause. The service retries automatically.',
      )
    } else if (!curve && config.curve.source === 'manual') {
      findings.fail(name, 'no curve is in force, so no note can be signed', setCurve)
    } else if (isRunning) {
      findings.fail(name, `no notes of ${current.period}, and no reason is recorded`, 'Check the service’s log.')
    } else {
      findings.ok(name, `the service signs the notes of ${current.period} when it starts`)
    }
    if (next.refusal)
      findings.warn(name, `the next period: ${next.refusal.message}`, 'Fix the cause before the boundary.')
  }
}
