const width = 90
const height = 22

/** Renders a row of bars. It is decorative: text next to it must carry the meaning. */
export function Sparkline({ values }: { readonly values: readonly number[] }) {
  const highest = Math.max(1, ...values)
  const step = width / Math.max(1, values.length)
  return (
    <svg class="sparkline" viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      {values.map((value, index) => {
        const bar = value === 0 ? 0.8 : Math.max(1.6, (value / highest) * height)
        return <rect key={index} x={index * step} y={height - bar} width={step * 0.7} height={bar} />
      })}
    </svg>
  )
}
