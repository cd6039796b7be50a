import { hostname } from 'node:os'
import { TallystickError } from '@tallystick/core'
import { type Command, InvalidArgumentError } from 'commander'
import type { Operator } from '../admin/operator.ts'
import { ask } from './ask.ts'
import { formatCurveReport, formatDifference, formatPoints, formatProposals } from './format-curve.ts'
import { formatPreview } from './format-preview.ts'
import { nameUser } from './name-user.ts'
import { addCommonOptions, type CommonOptions, parseChain } from './options.ts'
import { createOutput, exitCodes, type Output } from './output.ts'
import type { Terminal } from './terminal.ts'
import { type ConfigSource, withOperator, withReader } from './with-operator.ts'

type SetOptions = CommonOptions & { readonly confirm: boolean; readonly dryRun: boolean; readonly chain?: number }

type CurveRequest = {
  readonly points: Readonly<Record<string, number>>
  readonly chainId: number | null
  readonly confirm: boolean
  readonly by: string
}

const columnsDefault = 80

export function addCurveCommand(program: Command, terminal: Terminal): void {
  const curve = program.command('curve').description('show and set the coupons')
  addCommonOptions(
    curve.command('show').description('show the coupons in force now and next, their source, and who set them'),
  ).action(async ({ config, json }: CommonOptions) => {
    const report = await withReader({ path: config, env: terminal.env }, (operator) => operator.showCurve())
    const output = createOutput(terminal, json)
    output.document(report)
    output.text(formatCurveReport(report, { columns: terminal.stdout.columns || columnsDefault }))
  })
  addApproveCommand(curve, terminal)
  addCommonOptions(curve.command('set').description('set the coupons from the next boundary that is not signed yet'))
    .argument('<points...>', 'tenor in days = coupon in basis points, such as 7=369 14=365', collectPoint)
    .option('--chain <id>', 'one chain only (default: all chains)', parseChain)
    .option('--confirm', 'store without asking, even if the coupons move further than the rails allow', false)
    .option('--dry-run', 'show the change and what the rails say, and store nothing', false)
    .action(async (points: Record<string, number>, { config, json, confirm, chain, dryRun }: SetOptions) => {
      const request = { points, chainId: chain ?? null, confirm, by: `${nameUser()}@${hostname()}` }
      const output = createOutput(terminal, json)
      if (dryRun) return preview(request, { source: { path: config, env: terminal.env }, output, terminal })
      const { curve, proposal, source, difference } = await withOperator(
        { path: config, env: terminal.env },
        (operator) => set(operator, { request, output, terminal }),
      )
      output.document(proposal ? { proposal } : { curve })
      if (!curve) return output.text(formatProposals(proposal ? [proposal] : []))
      output.text(`Curve ${curve.id} is stored and in force from ${curve.effectiveFromNewYork} New York.`)
      output.text(formatPoints(curve.points))
      if (difference) output.text(difference)
      if (source === 'treasury')
        output.text('It stays in force until the Treasury publishes rates after that boundary.')
    })
}

/** Shows what a curve would change. The exit code is that of `curve set` without `--dry-run`. */
async function preview(
  request: CurveRequest,
  { source, output, terminal }: { readonly source: ConfigSource; readonly output: Output; readonly terminal: Terminal },
): Promise<void> {
  const report = await withReader(source, (operator) => operator.previewCurve(request))
  output.document(report)
  output.text(formatPreview(report))
  if (report.verdict === 'confirm' || report.verdict === 'refuse') terminal.exitCode = exitCodes.failed
}

function addApproveCommand(curve: Command, terminal: Terminal): void {
  addCommonOptions(curve.command('approve <id>').description('approve a proposed curve as a second person')).action(
    async (id: string, { config, json }: CommonOptions) => {
      const { curve } = await withOperator({ path: config, env: terminal.env }, (operator) => operator.approveCurve(id))
      const output = createOutput(terminal, json)
      output.document({ curve })
      output.text(`Curve ${curve.id} is stored and in force from ${curve.effectiveFromNewYork} New York.`)
      output.text(formatPoints(curve.points))
    },
  )
}

/** Stores a curve. On a terminal the change is shown first and must be confirmed. Otherwise it is shown afterwards. */
async function set(
  operator: Operator,
  {
    request,
    output,
    terminal,
  }: { readonly request: CurveRequest; readonly output: Output; readonly terminal: Terminal },
) {
  const report = await operator.showCurve()
  const difference = formatDifference(report, request)
  const isAsked = terminal.stdin.isTTY && terminal.stdout.isTTY && !output.json && !request.confirm
  if (isAsked) {
    output.text(difference)
    if (!(await ask('Store?', { input: terminal.stdin, output: terminal.stdout }))) throw declined()
  }
  const { curve, proposal } = await operator.setCurve(request)
  return { curve, proposal, source: report.source, difference: isAsked ? '' : difference }
}

function declined(): TallystickError {
  return new TallystickError({ code: 'invalid_curve', message: 'Nothing was stored.', retryable: false })
}

/** Adds one argument to the points of the arguments before it. */
function collectPoint(value: string, points: Record<string, number> = {}): Record<string, number> {
  const match = /^([1-9]\d{0,3})=([1-9]\d{0,5})$/.exec(value)
  if (!match) throw new InvalidArgumentError(`"${value}" is not <days>=<bps>, such as 7=369.`)
  const [, tenor = '', bps] = match
  if (tenor in points) throw new InvalidArgumentError(`${tenor} days is given twice.`)
  return { ...points, [tenor]: Number(bps) }
}
