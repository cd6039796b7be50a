import {
  ChoosableRow,
  formatMove,
  formatPeriod,
  formatRate,
  Instant,
  type Polled,
  Skeleton,
  TableHead,
  useZone,
  zoneName,
} from '@tallystick/ui'
import type { LastCoupons } from '../data/last-period.ts'
import type { Offer } from '../data/offers.ts'

type NotesTableProps = {
  readonly offers: readonly Offer[] | undefined
  /** Null if there was none. */
  readonly lastPeriod: Polled<LastCoupons | null>
  readonly isRateLoading: boolean
  readonly chosen: Offer | undefined
  readonly onChoose: (offer: Offer) => void
}

/** Renders the notes as a table. */
export function NotesTable({ offers, lastPeriod, isRateLoading, chosen, onChoose }: NotesTableProps) {
  const zone = useZone()
  return (
    <div class="table-scroll">
      <table class="numbers">
        <caption>{captionOf(lastPeriod, zone)}</caption>
        <TableHead
          columns={[
            { title: 'Maturity' },
            { title: `Matures, ${zoneName(zone)}`, class: 'wide-only' },
            ...['Coupon', 'Change', 'With floating'].map((title) => ({ title, class: 'number' })),
          ]}
        />
        <tbody>
          {offers
            ? offers.map((offer) => (
                <Row key={offer.tenorDays} {...{ offer, isChosen: offer === chosen, isRateLoading, onChoose }} />
              ))
            : waiting}
          {offers?.length === 0 ? (
            <tr>
              <td class="no-rows muted" colSpan={5}>
                No notes are on offer.
              </td>
            </tr>
          ) : null}
        </tbody>
      </table>
    </div>
  )
}

type RowProps = Pick<NotesTableProps, 'isRateLoading' | 'onChoose'> & {
  readonly offer: Offer
  readonly isChosen: boolean
}

function Row({ offer, isChosen, isRateLoading, onChoose }: RowProps) {
  const { tenorDays, maturityTimestamp, coupon, move, marketRate } = offer
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
      <td class="wide-only muted">
        <Instant seconds={maturityTimestamp} only="date" />
      </td>
      <td class="number">{formatRate(coupon)}</td>
      <td class="number">
        <Move move={move} />
      </td>
      <td class="number muted">
        {marketRate !== undefined ? formatRate(marketRate) : isRateLoading ? <Skeleton width="5ch" /> : '–'}
      </td>
    </ChoosableRow>
  )
}

/** Renders a change. The arrow repeats the sign, so that colour is not the only cue. */
function Move({ move }: { readonly move: bigint | undefined }) {
  if (move === undefined) return <span class="muted">–</span>
  const colour = move > 0n ? 'good' : move < 0n ? 'bad' : 'muted'
  return <span class={`move ${colour}`}>{move === 0n ? 'unchanged' : formatMove(move)}</span>
}

function captionOf({ value, error }: Polled<LastCoupons | null>, zone: string): string {
  const unit = 'Coupons per 360-day year.'
  if (value) return `${unit} Change since ${formatPeriod(value, zone)}.`
  if (value === null) return `${unit} No earlier period to compare with.`
  return error === undefined ? unit : `${unit} The last period could not be read.`
}

const waiting = Array.from({ length: 7 }, (_, index) => (
  <tr key={index}>
    <th scope="row">
      <Skeleton width="6ch" />
    </th>
    <td class="wide-only">
      <Skeleton width="10ch" />
    </td>
    {['coupon', 'change', 'market'].map((name) => (
      <td key={name} class="number">
        <Skeleton width="5ch" />
      </td>
    ))}
  </tr>
))
