import { ChoosableRow } from '../chart/choosable-row.tsx'
import type { LastCoupons } from '../data/last-period.ts'
import type { Offer } from '../data/offers.ts'
import { formatMove, formatRate } from '../format/format-rate.ts'
import { formatDate, formatPeriod, newYorkZone } from '../format/format-time.ts'
import { Skeleton } from '../parts/skeleton.tsx'

/** Renders the notes as a table. */
export function NotesTable({
  offers,
  last,
  chosen,
  onChoose,
}: {
  readonly offers: readonly Offer[] | undefined
  readonly last: LastCoupons | undefined
  readonly chosen: Offer | undefined
  readonly onChoose: (offer: Offer) => void
}) {
  return (
    <div class="table-scroll">
      <table class="numbers">
        <caption>{captionOf(last)}</caption>
        <thead>
          <tr>
            <th scope="col">Maturity</th>
            <th scope="col" class="wide-only">
              Matures, New York
            </th>
            <th scope="col" class="number">
              Coupon
            </th>
            <th scope="col" class="number">
              Change
            </th>
            <th scope="col" class="number">
              With floating
            </th>
          </tr>
        </thead>
        <tbody>
          {offers
            ? offers.map((offer) => <Row key={offer.tenorDays} {...{ offer, isChosen: offer === chosen, onChoose }} />)
            : waiting}
          {offers?.length === 0 ? (
            <tr>
              <td class="no-rows" colSpan={5}>
                No notes are on offer.
              </td>
            </tr>
          ) : null}
        </tbody>
      </table>
    </div>
  )
}

function Row({
  offer,
  isChosen,
  onChoose,
}: {
  readonly offer: Offer
  readonly isChosen: boolean
  readonly onChoose: (offer: Offer) => void
}) {
  const { note, tenorDays, move, marketRate } = offer
  return (
    <ChoosableRow
      group="note-row"
      isChosen={isChosen}
      onChoose={() => onChoose(offer)}
      header={
        <>
          <span class="tenor">{tenorDays}</span> {tenorDays === 1 ? 'day' : 'days'}
        </>
      }
    >
      <td class="wide-only muted">{formatDate(note.maturityTimestamp, newYorkZone)}</td>
      <td class="number strong">{formatRate(note.coupon)}</td>
      <td class="number">
        <Move move={move} />
      </td>
      <td class="number muted">{marketRate === undefined ? '–' : formatRate(marketRate)}</td>
    </ChoosableRow>
  )
}

/** Renders a change. The arrow repeats the sign, so that colour is not the only cue. */
function Move({ move }: { readonly move: bigint | undefined }) {
  if (move === undefined) return <span class="muted">–</span>
  const direction = move > 0n ? 'up' : move < 0n ? 'down' : 'flat'
  return <span class={`move move-${direction}`}>{move === 0n ? 'unchanged' : formatMove(move)}</span>
}

function captionOf(last: LastCoupons | undefined): string {
  if (!last) return 'Coupons per 360-day year. No earlier period to compare with.'
  return `Coupons per 360-day year. Change since ${formatPeriod(last)}.`
}

const waiting = Array.from({ length: 7 }, (_, index) => (
  <tr key={index}>
    <th scope="row">
      <Skeleton width="6ch" />
    </th>
    <td class="wide-only">
      <Skeleton width="10ch" />
    </td>
    <td class="number">
      <Skeleton width="5ch" />
    </td>
    <td class="number">
      <Skeleton width="5ch" />
    </td>
    <td class="number">
      <Skeleton width="5ch" />
    </td>
  </tr>
))
