import { hostname } from 'node:os'
import { countOf } from '@tallystick/base/pure'
import { type CurvePreviewReport, type CurveView, TallystickError } from '@tallystick/core'
import type { Operator } from '@tallystick/service'
import { type Command, InvalidArgumentError } from 'commander'
import { nameUser } from '../operator/name-user.ts'
import { makeChange, showReport, withOperator } from '../operator/with-operator.ts'
import { addCommonOptions, addExamples, type CommonOptions, parseChain } from '../options.ts'
import { ask } from '../terminal/ask.ts'
import { createOutput, exitCodes, type Output } from '../terminal/output.ts'
import type { Terminal } from '../terminal/terminal.ts'

type SetOptions = CommonOptions & { readonly confirm: boolean; readonly dryRun: boolean; readonly chain?: number }

type CurveRequest = {
  readonly points: Readonly<Record<string, number>>
  readonly chainId: number | null
  readonly confirm: boolean
  readonly by: string
}

export function addCurveCommand(program: Command, terminal: Terminal): void {
  const curve = program.command('curve').description('show and set the coupons')
  addExamples(curve, 'curve show', 'curve set 7=369 14=365 30=362')
  addCommonOptions(curve.command('show'), 'curve show', 'curve show --json')
    .description('show the coupons in force now and next, their source, and who set them')
    .action(async (options: CommonOptions) => {
      const { formatCurveReport } = await import('./format-curve.ts')
      await showReport(terminal, { options, read: (operator) => operator.showCurve(), format: formatCurveReport })
    })
  addCommonOptions(curve.command('approve <id>'), 'curve approve 3')
    .description('approve a proposed curve as a second person')
    .action(async (id: string, options: CommonOptions) => {
      const { formatPoints } = await import('./format-curve.ts')
      await makeChange(terminal, {
        options,
        change: (operator) => operator.approveCurve(id),
        format: ({ curve }) => `${formatStored(curve)}\n${formatPoints(curve.points)}`,
      })
    })
  addSetCommand(curve, terminal)
}

function addSetCommand(curve: Command, terminal: Terminal): void {
  addCommonOptions(
    curve.command('set'),
    'curve set 7=369 14=365 30=362 --dry-run',
    'curve set 7=369 14=365 30=362',
    'curve set 7=371 --chain 8453 --confirm',
  )
    .description('set the coupons from the next boundary that is not signed yet')
    .argument('<points...>', 'tenor in days = coupon in basis points, such as 7=369 14=365', collectPoint)
    .option('--chain <id>', 'one chain only (default: all chains)', parseChain)
    .option('--confirm', 'store without asking, even if the coupons move further than the rails allow', false)
    .option('--dry-run', 'show the change and what the rails say, and store nothing', false)
    .action(async (points: Record<string, number>, options: SetOptions) => {
      const { confirm, chain, dryRun } = options
      const request = { points, chainId: chain ?? null, confirm, by: `${nameUser()}@${hostname()}` }
      if (dryRun) return preview(request, { terminal, options })
      const output = createOutput(terminal, options)
      const { formatPoints, formatProposals } = await import('./format-curve.ts')
      const work = (operator: Operator) => set(operator, { request, output, terminal })
      const stored = await withOperator(terminal, { options, access: 'write', work })
      const { curve, proposal, source, difference } = stored
      output.document(proposal ? { proposal } : { curve })
      if (!curve) return output.text(formatProposals(proposal ? [proposal] : []))
      output.text(formatStored(curve))
      output.text(formatPoints(curve.points))
      if (difference) output.text(difference)
      if (source === 'treasury')
        output.text('It stays in force until the Treasury publishes rates after that boundary.')
    })
}

/** Shows what a curve would change. The exit code is that of `curve set` without `--dry-run`. */
async function preview(
  request: CurveRequest,
  { terminal, options }: { readonly terminal: Terminal; readonly options: CommonOptions },
): Promise<void> {
  const { formatPreview } = await import('./format-curve.ts')
  const read = (operator: Pick<Operator, 'previewCurve'>) => operator.previewCurve(request)
  const exitCode = ({ verdict }: CurvePreviewReport) =>
    verdict === 'confirm' || verdict === 'refuse' ? exitCodes.failed : undefined
  await showReport(terminal, { options, read, format: formatPreview, exitCode })
}

type SetContext = { readonly request: CurveRequest; readonly output: Output; readonly terminal: Terminal }

/** Stores a curve. On a terminal the change is shown first and must be confirmed. Otherwise it is shown afterwards. */
async function set(operator: Operator, { request, output, terminal }: SetContext) {
  const { formatDifference } = await import('./format-curve.ts')
  const isAsked = terminal.stdin.isTTY && terminal.stdout.isTTY && !output.json && !request.confirm
  // Before the difference is read: a curve that another person sets from here on is refused.
  const preview = isAsked ? (await operator.previewCurve(request)).digest : undefined
  const report = await operator.showCurve()
  const difference = formatDifference(report, request, output.layout)
  if (isAsked) {
    output.text(difference)
    if (!(await ask('Store?', { input: terminal.stdin, output: terminal.stdout }))) throw declined()
  }
  const { curve, proposal } = await operator.setCurve({ ...request, preview })
  return { curve, proposal, source: report.source, difference: isAsked ? '' : difference }
}

function formatStored({ id, effectiveFromNewYork }: CurveView): string {
  return `Curve ${id} is stored and in force from ${effectiveFromNewYork} New York.`
}

function declined(): TallystickError {
  return new TallystickError({ code: 'invalid_curve', message: 'Nothing was stored.', retryable: false })
}

/** Adds one argument to the points of the arguments before it. */
function collectPoint(value: string, points: Record<string, number> = {}): Record<string, number> {
  const match = /^([1-9]\d{0,3})=([1-9]\d{0,5})$/.exec(value)
  if (!match) throw new InvalidArgumentError(`"${value}" is not <days>=<bps>, such as 7=369.`)
  const [, tenor = '', bps] = match
  if (tenor in points) throw new InvalidArgumentError(`The tenor of ${countOf(Number(tenor), 'day')} is given twice.`)
  return { ...points, [tenor]: Number(bps) }
}
