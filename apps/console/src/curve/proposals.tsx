import type { CurveView, ProposalView } from '@tallystick/core'
import { Button, Notice } from '@tallystick/ui'
import { useState } from 'preact/hooks'
import type { AdminApi } from '../api/admin-api.ts'
import { ConfirmDialog } from '../parts/dialog.tsx'
import { formatIso, formatPoints } from '../parts/format.ts'

type ProposalsProps = {
  readonly api: AdminApi
  readonly canChange: boolean
  readonly proposals: readonly ProposalView[]
  readonly nameOf: (chainId: number | null) => string
  readonly onDone: (curve: CurveView) => void
}

/** Renders the curves that need the approval of a second person. */
export function Proposals({ api, canChange, proposals, nameOf, onDone }: ProposalsProps) {
  const [chosen, setChosen] = useState<ProposalView>()
  const approve = async () => {
    const { curve } = await api.post<{ curve: CurveView }>(
      `/curve/proposals/${encodeURIComponent(chosen?.id ?? '')}/approve`,
    )
    // Another dialog may be open by now.
    setChosen((open) => (open === chosen ? undefined : open))
    onDone(curve)
  }
  return (
    <>
      {proposals.map((proposal) => (
        <Notice
          key={proposal.id}
          tone="warn"
          title={`Proposal ${proposal.id} of ${proposal.proposedBy} is not in force`}
        >
          <p>
            {nameOf(proposal.chainId)}, from {proposal.effectiveFromNewYork}:{' '}
            <span class="mono">{formatPoints(proposal.points)}</span>
          </p>
          <p>A second person approves it with another token before {formatIso(proposal.expiresAt)}.</p>
          {canChange ? (
            <Button
              class="quiet small"
              label="Approve"
              suffix={` proposal ${proposal.id}`}
              onClick={() => setChosen(proposal)}
            />
          ) : null}
        </Notice>
      ))}
      {chosen ? (
        <ConfirmDialog
          title={`Approve proposal ${chosen.id}?`}
          verb="Approve"
          act={approve}
          onClose={() => setChosen(undefined)}
        >
          <p class="mono">{formatPoints(chosen.points)}</p>
          <p>Signed notes cannot be recalled. The curve is in force from {chosen.effectiveFromNewYork} on.</p>
        </ConfirmDialog>
      ) : null}
    </>
  )
}
