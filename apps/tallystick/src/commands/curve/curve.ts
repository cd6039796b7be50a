import { hostname } from 'node:os'
import { type CurveView, TallystickError } from '@tallystick/core'
import type { Operator } from '@tallystick/service'
import { type Command, InvalidArgumentError } from 'commander'
import { nameUser } from '../operator/name-user.ts'
import { withOperator, withReader } from '../operator/with-operator.ts'
import { addCommonOptions, addExamples, type CommonOptions, parseChain } from '../options.ts'
import { ask } from '../terminal/ask.ts'
import { createOutput, exitCodes, type Output, print } from '../terminal/output.ts'
import type { Invocation, Terminal } from '../terminal/terminal.ts'

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
  const show = addCommonOptions(
    curve.command('show').description('show the coupons in force now and next, their source, and who set them'),
  ).action(async (options: CommonOptions) => {
    const report = await withReader({ terminal, options }, (operator) => operator.showCurve())
    const { formatCurveReport } = await import('./format-curve.ts')
    print({ terminal, options }, { document: report, text: (layout) => formatCurveReport(report, layout) })
  })
  addExamples(show, 'curve show', 'curve show --json')
  addApproveCommand(curve, terminal)
  addSetCommand(curve, terminal)
}

function addSetCommand(curve: Command, terminal: Terminal): void {
  const setCommand = addCommonOptions(
    curve.command('set').description('set the coupons from the next boundary that is not signed yet'),
  )
    .argument('<points...>', 'tenor in days = coupon in basis points, such as 7=369 14=365', collectPoint)
    .option('--chain <id>', 'one chain only (default: all chains)', parseChain)
    .option('--confirm', 'store without asking, even if the coupons move further than the rails allow', false)
    .option('--dry-run', 'show the change and what the rails say, and store nothing', false)
    .action(async (points: Record<string, number>, { confirm, chain, dryRun, ...options }: SetOptions) => {
      const request = { points, chainId: chain ?? null, confirm, by: `${nameUser()}@${hostname()}` }
      const output = createOutput(terminal, options)
      if (dryRun) return preview(request, { terminal, options })
      const { formatPoints, formatProposals } = await import('./format-curve.ts')
      const { curve, proposal, source, difference } = await withOperator({ terminal, options }, (operator) =>
        set(operator, { request, output, terminal }),
      )
      output.document(proposal ? { proposal } : { curve })
      if (!curve) return output.text(formatProposals(proposal ? [proposal] : []))
      output.text(formatStored(curve))
      output.text(formatPoints(curve.points))
      if (difference) output.text(difference)
      if (source === 'treasury')
        output.text('It stays in force until the Treasury publishes rates after that boundary.')
    })
  addExamples(
    setCommand,
    'curve set 7=369 14=365 30=362 --dry-run',
    'curve set 7=369 14=365 30=362',
    'curve set 7=371 --chain 8453 --confirm',
  )
}

/** Shows what a curve would change. The exit code is that of `curve set` without `--dry-run`. */
async function preview(request: CurveRequest, { terminal, options }: Invocation): Promise<void> {
  const { formatPreview } = await import('./format-preview.ts')
  const report = await withReader({ terminal, options }, (operator) => operator.previewCurve(request))
  print({ terminal, options }, { document: report, text: (layout) => formatPreview(report, layout) })
  if (report.verdict === 'confirm' || report.verdict === 'refuse') terminal.exitCode = exitCodes.failed
}

function addApproveCommand(curve: Command, terminal: Terminal): void {
  const approve = addCommonOptions(
    curve.command('approve <id>').description('approve a proposed curve as a second person'),
  ).action(async (id: string, options: CommonOptions) => {
    const { curve } = await withOperator({ terminal, options }, (operator) => operator.approveCurve(id))
    const { formatPoints } = await import('./format-curve.ts')
    print(
      { terminal, options },
      { document: { curve }, text: () => `${formatStored(curve)}\n${formatPoints(curve.points)}` },
    )
  })
  addExamples(approve, 'curve approve 3')
}

/** Stores a curve. On a terminal the change is shown first and must be confirmed. Otherwise it is shown afterwards. */
type SetContext = { readonly request: CurveRequest; readonly output: Output; readonly terminal: Terminal }

async function set(operator: Operator, { request, output, terminal }: SetContext) {
  const { formatDifference } = await import('./format-curve.ts')
  const isAsked = terminal.stdin.isTTY && terminal.stdout.isTTY && !output.json && !request.confirm
  // Before the difference is read: a curve that another person sets from here on is refused.
  const seen = isAsked ? { preview: (await operator.previewCurve(request)).digest } : {}
  const report = await operator.showCurve()
  const difference = formatDifference(report, request, output.layout)
  if (isAsked) {
    output.text(difference)
    if (!(await ask('Store?', { input: terminal.stdin, output: terminal.stdout }))) throw declined()
  }
  const { curve, proposal } = await operator.setCurve({ ...request, ...seen })
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
  if (tenor in points) throw new InvalidArgumentError(`${tenor} days is given twice.`)
  return { ...points, [tenor]: Number(bps) }
}
