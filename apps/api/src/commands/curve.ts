import { hostname, userInfo } from 'node:os'
import { type Command, InvalidArgumentError } from 'commander'
import type { CurveReport, CurveView } from '../admin/curve-report.ts'
import { addCommonOptions, type CommonOptions, parseChain } from './options.ts'
import { createOutput, formatTable } from './output.ts'
import { withOperator } from './with-operator.ts'

type SetOptions = CommonOptions & { readonly confirm: boolean; readonly chain?: number }

export function addCurveCommand(program: Command): void {
  const curve = program.command('curve').description('see and set the coupons')
  addCommonOptions(curve.command('show').description('the coupons in force now and next, and who set them')).action(
    async ({ config, json }: CommonOptions) => {
      const report = await withOperator(config, (operator) => operator.showCurve())
      const output = createOutput(json)
      output.document(report)
      output.text(formatReport(report))
    },
  )
  addCommonOptions(curve.command('set').description('set the coupons from the next boundary that is not signed yet'))
    .argument('<points...>', 'tenor in days = coupon in basis points, such as 7=369 14=365', collectPoint)
    .option('--chain <id>', 'for one chain only (all of them if left out)', parseChain)
    .option('--confirm', 'the coupons are meant, even if they move further than rails.maxMoveBps', false)
    .action(async (points: Record<string, number>, { config, json, confirm, chain }: SetOptions) => {
      const request = { points, chainId: chain ?? null, confirm, by: `${userInfo().username}@${hostname()}` }
      const stored = await withOperator(config, (operator) => operator.setCurve(request))
      const output = createOutput(json)
      output.document(stored)
      output.text(`Curve ${stored.curve.id} is stored, in force from ${stored.curve.effectiveFromNewYork} New York on.`)
      output.text(formatPoints(stored.curve.points))
    })
}

/** Commander hands over one argument at a time with what the ones before it came to. */
function collectPoint(value: string, points: Record<string, number> = {}): Record<string, number> {
  const match = /^([1-9]\d{0,3})=([1-9]\d{0,5})$/.exec(value)
  if (!match) throw new InvalidArgumentError(`"${value}" is not <days>=<bps>, such as 7=369.`)
  const [, tenor = '', bps] = match
  if (tenor in points) throw new InvalidArgumentError(`${tenor} days is given twice.`)
  return { ...points, [tenor]: Number(bps) }
}

function formatReport({ chains, history }: CurveReport): string {
  const inForce = chains.flatMap(({ chainId, current, next }) =>
    [current, next].map(({ period, signed, curve }) => {
      const head = `Chain ${chainId}, ${period}${signed ? ' (signed)' : ''}`
      return `${head}\n${curve ? formatPoints(curve.points) : '  no curve'}`
    }),
  )
  if (history.length === 0) return `${inForce.join('\n\n')}\n\nNo curve was ever set: \`tallystick curve set\`.`
  return `${inForce.join('\n\n')}\n\n${formatHistory(history)}`
}

function formatPoints(points: Readonly<Record<string, number>>): string {
  const byTenor = Object.entries(points).sort(([a], [b]) => Number(a) - Number(b))
  return byTenor.map(([tenor, bps]) => `  ${tenor.padStart(4)} days  ${String(bps).padStart(5)} bps`).join('\n')
}

function formatHistory(history: readonly CurveView[]): string {
  return formatTable(
    ['CURVE', 'FROM (NEW YORK)', 'CHAIN', 'SOURCE', 'CONFIRMED', 'SET BY', 'SET AT'],
    history.map((curve) => [
      curve.id,
      curve.effectiveFromNewYork,
      curve.chainId === null ? 'all' : String(curve.chainId),
      curve.source,
      curve.confirmed ? 'yes' : 'no',
      curve.createdBy,
      curve.createdAt,
    ]),
  )
}
