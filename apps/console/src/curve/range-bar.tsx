const width = 110
const height = 14

type RangeBarProps = {
  readonly lowest: number
  readonly highest: number
  readonly before: number | null
  readonly after: number | null
}

/** Renders a range, the old coupon as a line and the new one as a dot. It is decorative: the numbers stand next to it. */
export function RangeBar({ lowest, highest, before, after }: RangeBarProps) {
  const values = [lowest, highest, before, after].filter((value) => value !== null)
  const [from, to] = [Math.min(...values), Math.max(...values)]
  const place = (value: number) => 6 + ((value - from) / Math.max(1, to - from)) * (width - 12)
  const isInside = after !== null && after >= lowest && after <= highest
  return (
    <svg class="range-bar" viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      <rect
        class="range-allowed"
        x={place(lowest)}
        y={4}
        width={Math.max(1, place(highest) - place(lowest))}
        height={6}
        rx={3}
      />
      {before === null ? null : <rect class="range-before" x={place(before) - 0.75} y={1} width={1.5} height={12} />}
      {after === null ? null : (
        <circle class={isInside ? 'range-after' : 'range-after range-broken'} cx={place(after)} cy={7} r={4} />
      )}
    </svg>
  )
}
