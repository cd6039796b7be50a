import type { CurvePoints } from '@tallystick/core'

/** Returns the advice to set these coupons, for all chains or one, with `--confirm`, which overrides the move rails. */
export function formatConfirmAdvice(points: CurvePoints, chainId: number | null): string {
  const sorted = Object.entries(points).map(([tenor, bps]) => [Number(tenor), bps] as const)
  const command = formatCommand(sorted.sort(([a], [b]) => a - b))
  return `If this is intended, confirm it with \`${command}${chainId === null ? '' : ` --chain ${chainId}`} --confirm\`.`
}

/** Returns a `curve set` command with a placeholder for each coupon. */
export function formatCurveSetExample(tenors: readonly number[]): string {
  return formatCommand(tenors.map((tenor) => [tenor, '<bps>']))
}

function formatCommand(points: readonly (readonly [tenor: number, bps: unknown])[]): string {
  return `tallystick curve set ${points.map(([tenor, bps]) => `${tenor}=${bps}`).join(' ')}`
}
