import { isAddressEqual } from 'viem'
import type { Config } from '../config.ts'
import type { IssueReports } from './check-database.ts'
import type { Findings } from './findings.ts'

export type NotesCheckContext = {
  readonly config: Config
  /** Undefined where neither a service nor a database could be asked. */
  readonly reports: IssueReports | undefined
  readonly isRunning: boolean
  /** The database could be asked and has nothing. */
  readonly isEmpty: boolean
  /** Undefined where the signer cannot be used. */
  readonly signer: `0x${string}` | undefined
}

/** Whether there is something to offer: notes, or at least a curve to make them of. */
export function checkNotes(
  findings: Findings,
  { config, reports, isRunning, isEmpty, signer }: NotesCheckContext,
): void {
  const setCurve = `Set one: \`tallystick curve set ${config.tenors.map((tenor) => `${tenor}=<bps>`).join(' ')}\`.`
  if (!reports) {
    if (isRunning) findings.fail('notes', 'the service does not tell of its notes', 'See its log.')
    else if (isEmpty && config.curve.source === 'manual') findings.fail('curve', 'no curve was ever set', setCurve)
    else findings.skip('notes', 'nothing could be read about curve and notes')
    return
  }
  for (const { chainId, period, issuedAt, command } of reports.notes.rogue ?? []) {
    findings.warn(
      `chain ${chainId}`,
      `the notes of ${period} were signed at ${issuedAt}, further ahead than a right clock allows`,
      `Correct the clock of the replica that signed them, then clear them: \`${command}\`.`,
    )
  }
  for (const { chainId, current, next } of reports.notes.chains) {
    const name = `chain ${chainId}`
    const curve = reports.curve.chains.find((chain) => chain.chainId === chainId)?.current.curve
    if (current.signed && current.refusal) {
      const advice = 'Right after a key leak. Otherwise take rails.earlierSigner out of the configuration and restart.'
      findings.fail(name, `no notes of ${current.period} are handed out: ${current.refusal.message}`, advice)
    } else if (current.signed) {
      findings.ok(name, `${current.notes.length} notes of ${current.period}, signed by ${current.signer}`)
      if (signer && current.signer && !isAddressEqual(signer, current.signer as `0x${string}`)) {
        findings.warn(
          name,
          `they are not signed by the configured signer ${signer}`,
          'From the next boundary on they are.',
        )
      }
    } else if (current.refusal && (isRunning || !curve)) {
      findings.fail(
        name,
        `no notes of ${current.period}: ${current.refusal.message}`,
        'Mend that; it is tried again by itself.',
      )
    } else if (!curve && config.curve.source === 'manual') {
      findings.fail(name, 'no curve is in force, so no note can be signed', setCurve)
    } else if (isRunning) {
      findings.fail(name, `no notes of ${current.period}, and no reason is recorded`, 'See the service’s log.')
    } else {
      findings.ok(name, `a service would sign the notes of ${current.period} when it starts`)
    }
    if (next.refusal) findings.warn(name, `the next period: ${next.refusal.message}`, 'Mend that before the boundary.')
  }
}
