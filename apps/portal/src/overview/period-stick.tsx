const height = 18
const width = 360

type PeriodStickProps = {
  readonly start: number
  readonly end: number
  readonly now: number
}

/** Renders the progress of a period as a tally stick with one notch per hour. */
export function PeriodStick({ start, end, now }: PeriodStickProps) {
  const hours = Math.round((end - start) / 3600)
  const passed = Math.min(1, Math.max(0, (now - start) / (end - start)))
  return (
    <svg class="stick" viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
      <clipPath id="stick-passed">
        <rect width={passed * width} height={height} />
      </clipPath>
      <path class="stick-wood" d={outline(hours)} />
      <path class="stick-cut" d={outline(hours)} clip-path="url(#stick-passed)" />
    </svg>
  )
}

function outline(hours: number): string {
  const step = width / hours
  const notches = Array.from({ length: hours - 1 }, (_, index) => {
    const x = (index + 1) * step
    // Every sixth notch is deeper.
    const depth = (index + 1) % 6 === 0 ? 12 : 6.5
    return `H${(x - 3.2).toFixed(2)}L${x.toFixed(2)} ${depth}L${(x + 3.2).toFixed(2)} 0`
  })
  return `M2 0${notches.join('')}H${width - 2}L${width} 2V${height}H0V2Z`
}
