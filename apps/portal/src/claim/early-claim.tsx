import type { Claimability } from '@tallystick/client'
import { type Amount, formatCents } from '@tallystick/ui'
import { useEffect, useRef } from 'preact/hooks'
import { FullFrom } from '../wallet/full-from.tsx'
import { describeLoss } from './describe-loss.ts'

type EarlyClaimProps = {
  readonly tokenId: bigint
  /** Payment of a claim now. */
  readonly payout: Amount | undefined
  readonly missing: Claimability
  readonly at: bigint
  readonly canClaim: boolean
  readonly onClaim: () => void
  readonly onWait: () => void
}

/**
 * Renders the second decision before a claim that loses income. It names the loss. Waiting has the focus, and nothing is
 * chosen beforehand.
 */
export function EarlyClaim({ tokenId, payout, missing, at, canClaim, onClaim, onWait }: EarlyClaimProps) {
  const wait = useRef<HTMLButtonElement>(null)
  useEffect(() => wait.current?.focus(), [])
  const loss = describeLoss(missing)
  const heading = `early-claim-${tokenId}`
  return (
    <section class="early-claim" aria-labelledby={heading}>
      <h3 id={heading}>{`Claim position #${tokenId} now and lose ${loss}?`}</h3>
      <p>
        The pool pays the floating income that is reported so far, and never pays the rest. A claim now pays{' '}
        {payout ? `$${formatCents(payout.cents)}` : 'less'} and loses <strong>{loss}</strong> for good. The position is{' '}
        <FullFrom claimability={missing} at={at} />.
      </p>
      <div class="early-claim-choice">
        <button ref={wait} type="button" class="primary" onClick={onWait}>
          Wait
        </button>
        <button type="button" class="quiet" disabled={!canClaim} onClick={onClaim}>
          {`Claim now and lose ${loss}`}
        </button>
      </div>
    </section>
  )
}
