import { Button, formatCents, sumAmounts } from '@tallystick/ui'
import { useState } from 'preact/hooks'
import { FullFrom } from '../wallet/full-from.tsx'
import { EarlyClaim } from './early-claim.tsx'
import type { Claimable } from './use-claimable.ts'

export type ClaimListProps = {
  readonly claimable: readonly Claimable[]
  readonly canClaim: boolean
  readonly claim: (tokenIds: readonly bigint[], acceptMissingIncome: boolean) => void
  /** The service's time, in Unix seconds. */
  readonly at: bigint
}

/** Renders what each position pays. One that does not pay all its income yet is claimed only after a second decision. */
export function ClaimList(props: ClaimListProps) {
  const { claimable } = props
  const complete = claimable.filter(({ missing }) => !missing)
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

function ClaimRow({ one, canClaim, claim, at }: ClaimListProps & { readonly one: Claimable }) {
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
        <span class="hint">
          {`$${formatCents(principal.cents)} and ${income ? `$${formatCents(income.net.cents)} of` : 'its'} income`}
          {income && income.fee.cents > 0n ? `, after a fee of $${formatCents(income.fee.cents)}` : ''}
        </span>
        {missing ? (
          <span class="hint">
            Not all of its income is reported yet: <FullFrom claimability={missing} at={at} />.
          </span>
        ) : null}
      </div>
      {payout ? <data value={payout.exact.toString()}>${formatCents(payout.cents)}</data> : null}
      {missing ? (
        <Button
          label="Claim early…"
          suffix={` position ${tokenId}`}
          disabled={!canClaim}
          aria-expanded={isDeciding}
          onClick={() => setDeciding(true)}
        />
      ) : (
        <Button
          label="Claim"
          suffix={` position ${tokenId}`}
          disabled={!canClaim}
          onClick={() => claim([tokenId], false)}
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
    <div class="row actions claim-all">
      <span>
        All {complete.length} pay{' '}
        {payouts.length === complete.length ? (
          <data id="claim-total" value={total.exact.toString()}>
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
