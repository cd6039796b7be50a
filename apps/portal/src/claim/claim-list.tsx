import type { Claimability } from '@tallystick/client'
import { type Amount, Button, formatCents, Pill, sumAmounts } from '@tallystick/ui'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { FullFrom } from '../wallet/holding-state.tsx'
import { describeLoss } from './describe-loss.ts'
import type { Claimable } from './use-claimable.ts'

type ClaimListProps = {
  readonly claimable: readonly Claimable[]
  /** Positions whose claim was sent. They are not offered again. */
  readonly claiming: ReadonlySet<string>
  readonly canClaim: boolean
  readonly claim: (tokenIds: readonly bigint[], acceptMissingIncome: boolean) => void
  /** The service's time, in Unix seconds. */
  readonly at: bigint
}

/** Renders what each position pays. One that does not pay all its income yet is claimed only after a second decision. */
export function ClaimList(props: ClaimListProps) {
  const { claimable, claiming } = props
  const complete = claimable.filter(({ missing, holding }) => !missing && !claiming.has(String(holding.tokenId)))
  return (
    <>
      <ul class="claim-list">
        {claimable.map((one) => (
          <ClaimRow key={String(one.holding.tokenId)} {...props} one={one} />
        ))}
      </ul>
      {complete.length > 1 ? <ClaimAll {...props} complete={complete} /> : null}
    </>
  )
}

function ClaimRow({ one, claiming, canClaim, claim, at }: ClaimListProps & { readonly one: Claimable }) {
  const {
    holding: { tokenId },
    amounts: { principal, income, payout },
    missing,
  } = one
  const [isDeciding, setDeciding] = useState(false)
  return (
    <li class="row" data-claim={String(tokenId)} data-complete={missing === undefined}>
      <div>
        <strong>Position #{String(tokenId)}</strong>
        <span class="hint block">
          {`$${formatCents(principal.cents)} and ${income ? `$${formatCents(income.net.cents)} of` : 'its'} income`}
          {income && income.fee.cents > 0n ? `, after a fee of $${formatCents(income.fee.cents)}` : ''}
        </span>
        {missing ? (
          <span class="hint block">
            Not all of its income is reported yet: <FullFrom claimability={missing} at={at} />.
          </span>
        ) : null}
      </div>
      {payout ? (
        <data class="bold" value={payout.exact.toString()}>
          ${formatCents(payout.cents)}
        </data>
      ) : null}
      {claiming.has(String(tokenId)) ? (
        <Pill tone="warn">Being claimed</Pill>
      ) : (
        <Button
          label={missing ? 'Claim early…' : 'Claim'}
          suffix={` position ${tokenId}`}
          disabled={!canClaim}
          aria-expanded={missing && isDeciding}
          onClick={() => (missing ? setDeciding(true) : claim([tokenId], false))}
        />
      )}
      {missing && isDeciding ? (
        <EarlyClaim
          {...{ tokenId, payout, missing, at, canClaim }}
          onClaim={() => {
            setDeciding(false)
            claim([tokenId], true)
          }}
          onWait={() => setDeciding(false)}
        />
      ) : null}
    </li>
  )
}

function ClaimAll({ complete, canClaim, claim }: ClaimListProps & { readonly complete: readonly Claimable[] }) {
  const payouts = complete.flatMap(({ amounts }) => amounts.payout ?? [])
  const total = sumAmounts(payouts)
  const tokenIds = complete.map(({ holding }) => holding.tokenId)
  const claimAll = () => claim(tokenIds, false)
  return (
    <div class="row actions claim-all apart">
      <span>
        All {complete.length} pay{' '}
        {payouts.length === complete.length ? (
          <data id="claim-total" class="bold" value={total.exact.toString()}>
            ${formatCents(total.cents)}
          </data>
        ) : (
          '…'
        )}
      </span>
      <Button class="primary" label={`Claim all ${complete.length}`} disabled={!canClaim} onClick={claimAll} />
    </div>
  )
}

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
 * chosen beforehand. Escape waits, too, and the focus returns to the button that opened it.
 */
function EarlyClaim({ tokenId, payout, missing, at, canClaim, onClaim, onWait }: EarlyClaimProps) {
  const wait = useRef<HTMLButtonElement>(null)
  useLayoutEffect(() => {
    const [opener, section] = [document.activeElement, wait.current?.closest('section')]
    wait.current?.focus()
    return () => {
      if (opener instanceof HTMLElement && section?.contains(document.activeElement)) opener.focus()
    }
  }, [])
  const loss = describeLoss(missing)
  const heading = `early-claim-${tokenId}`
  return (
    <section
      class="early-claim shrink"
      aria-labelledby={heading}
      onKeyDown={({ key }) => {
        if (key === 'Escape') onWait()
      }}
    >
      <h3 id={heading}>{`Claim position #${tokenId} now and lose ${loss}?`}</h3>
      <p>
        The pool pays the floating income that is reported so far, and never pays the rest. A claim now pays{' '}
        {payout ? `$${formatCents(payout.cents)}` : 'less'} and loses <strong>{loss}</strong> for good. The position is{' '}
        <FullFrom claimability={missing} at={at} />.
      </p>
      <div class="early-claim-choice flex wrap">
        <button ref={wait} type="button" class="primary" onClick={onWait}>
          Wait
        </button>
        <Button label={`Claim now and lose ${loss}`} disabled={!canClaim} onClick={onClaim} />
      </div>
    </section>
  )
}
