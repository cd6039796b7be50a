import { type DeliveryView, eventTypes, type HookTest, type ListedHookView } from '@tallystick/core'
import type { Operator } from '@tallystick/service'
import type { Command } from 'commander'
import { makeChange, showReport } from '../operator/with-operator.ts'
import {
  addCommonOptions,
  addExamples,
  type CommonOptions,
  formatDuration,
  graceOption,
  optionWithValues,
  parseChain,
  parseList,
  wholeNumber,
} from '../options.ts'
import { type Layout, paintStatus } from '../terminal/layout.ts'
import { exitCodes } from '../terminal/output.ts'
import { formatItems, type ItemColumns } from '../terminal/table.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { addDeliveryCommands } from './delivery.ts'

type AddOptions = CommonOptions & { readonly types: string[]; readonly chain?: number }

const exampleId = 'hook_4fH2kQ9xL0aB'

export function addHooksCommand(program: Command, terminal: Terminal): void {
  const hooks = program.command('hooks').description('send events to the URLs of integrators (webhooks)')
  addExamples(hooks, 'hooks add https://wallet.example/hooks --types notes,status', 'hooks list')
  addAddCommand(hooks, terminal)
  addCommonOptions(hooks.command('list'), 'hooks list')
    .description('list the hooks with their URLs and states, without secrets')
    .action((options: CommonOptions) =>
      showReport(terminal, { options, read: (operator) => operator.listHooks(), format: formatHooks }),
    )
  addChangeCommands(hooks, terminal)
  addRotateCommand(hooks, terminal)
  addCommonOptions(
    hooks.command('deliveries <id>'),
    `hooks deliveries ${exampleId}`,
    `hooks deliveries ${exampleId} --limit 200 --json`,
  )
    .description('list what became of the latest events of a hook')
    .option('--limit <number>', 'how many deliveries, 1 to 200', wholeNumber(1, 200), 50)
    .action((id: string, options: CommonOptions & { readonly limit: number }) => {
      const read = (operator: Pick<Operator, 'listDeliveries'>) => operator.listDeliveries(id, options.limit)
      return showReport(terminal, { options, read, format: formatDeliveries })
    })
  addDeliveryCommands(hooks, terminal)
}

function addAddCommand(hooks: Command, terminal: Terminal): void {
  addCommonOptions(
    hooks.command('add <url>'),
    'hooks add https://wallet.example/hooks --types notes,rate,status',
    'hooks add https://wallet.example/hooks --types notes --chain 324',
  )
    .description('add a hook; its signing secret is shown once')
    .addOption(
      optionWithValues('--types <list>', 'events to send, comma separated', eventTypes)
        .argParser(parseList)
        .makeOptionMandatory(),
    )
    .option('--chain <id>', 'only events of one chain (default: every chain)', parseChain)
    .action((url: string, options: AddOptions) => {
      const { types, chain } = options
      return makeChange(terminal, {
        options,
        change: (operator) => operator.addHook({ url, types, chainId: chain ?? null }),
        format: ({ hook, secret }) => {
          const of = hook.chainId === null ? 'every chain' : `chain ${hook.chainId}`
          return [
            `Hook ${hook.id} gets ${hook.types.join(', ')} of ${of}, from the next event on.`,
            formatSecret(secret),
            `Try it with \`tallystick hooks test ${hook.id}\`.`,
          ].join('\n')
        },
      })
    })
}

function addChangeCommands(hooks: Command, terminal: Terminal): void {
  addCommonOptions(hooks.command('test <id>'), `hooks test ${exampleId}`)
    .description('send a test event now and show the response')
    .action((id: string, options: CommonOptions) =>
      makeChange(terminal, {
        options,
        change: (operator) => operator.testHook(id),
        format: formatTest,
        exitCode: ({ isDelivered }) => (isDelivered ? undefined : exitCodes.failed),
      }),
    )
  addCommonOptions(hooks.command('remove <id>'), `hooks remove ${exampleId}`)
    .description('remove a hook and the list of its deliveries')
    .action((id: string, options: CommonOptions) =>
      makeChange(terminal, {
        options,
        change: (operator) => operator.removeHook(id),
        format: ({ hook }) => `Hook ${hook.id} is removed. A request in progress may still arrive.`,
      }),
    )
  addCommonOptions(hooks.command('enable <id>'), `hooks enable ${exampleId}`)
    .description('switch a hook on again, or retry a failing one at once')
    .action((id: string, options: CommonOptions) =>
      makeChange(terminal, {
        options,
        change: (operator) => operator.enableHook(id),
        format: ({ hook }) => `Hook ${hook.id} is on. It continues with the first event that was not delivered.`,
      }),
    )
}

function addRotateCommand(hooks: Command, terminal: Terminal): void {
  addCommonOptions(hooks.command('rotate <id>'), `hooks rotate ${exampleId}`, `hooks rotate ${exampleId} --grace 7d`)
    .description('create a new signing secret; it is shown once')
    .addOption(graceOption('how long the old secret signs as well'))
    .action((id: string, options: CommonOptions & { readonly grace: number }) => {
      const { grace } = options
      const old = grace === 0 ? 'The old secret is deleted.' : `The old secret signs for ${formatDuration(grace)} more.`
      return makeChange(terminal, {
        options,
        change: (operator) => operator.rotateHook(id, { graceSeconds: grace }),
        format: ({ hook, secret }) => `Hook ${hook.id} has a new secret. ${old}\n${formatSecret(secret)}`,
      })
    })
}

function formatSecret(secret: string): string {
  return `\n  ${secret}\n\nIt is shown only once. The receiver verifies the signatures with it.`
}

const hookColumns: ItemColumns<ListedHookView> = [
  { heading: 'ID', cell: ({ id }) => id },
  { heading: 'STATUS', cell: ({ status }) => status, paint: paintStatus },
  { heading: 'TYPES', cell: ({ types }) => types.join(',') },
  { heading: 'CHAIN', cell: ({ chainId }) => String(chainId ?? 'all') },
  { heading: 'SECRETS', cell: ({ secrets }) => String(secrets), isOptional: true },
  { heading: 'WAITING', cell: ({ waiting }) => String(waiting) },
  { heading: 'LAST SUCCESS', cell: ({ lastSuccessAt }) => lastSuccessAt ?? 'never' },
  { heading: 'URL', cell: ({ url }) => url },
]

function formatHooks({ hooks }: { readonly hooks: readonly ListedHookView[] }, layout: Layout): string {
  if (hooks.length === 0) return 'No hooks yet. Add one with `tallystick hooks add <url> --types notes`.'
  const table = formatItems(hooks, { columns: hookColumns, layout })
  return [table, ...hooks.flatMap(describeProblem)].join('\n')
}

function describeProblem(hook: ListedHookView): string[] {
  if (hook.status === 'disabled') {
    const remedy = `Repair the receiver, then run \`tallystick hooks enable ${hook.id}\`.`
    return [`${hook.id} was switched off at ${hook.disabledAt}: ${hook.disabledReason}. ${remedy}`]
  }
  if (hook.status !== 'failing') return []
  const facts = `${hook.attempts} failed attempts since ${hook.failingSince}`
  return [`${hook.id} is failing: ${hook.lastError}. ${facts}, the next at ${hook.nextAttemptAt}.`]
}

function formatTest({ hook, isDelivered, status, error, durationMs }: HookTest): string {
  if (isDelivered) return `Delivered to ${hook.id}: status ${status} after ${durationMs} ms.`
  return `NOT delivered to ${hook.id} (after ${durationMs} ms): ${error}.`
}

const deliveryColumns: ItemColumns<DeliveryView> = [
  { heading: 'EVENT', cell: ({ event }) => event },
  { heading: 'TYPE', cell: ({ type }) => type },
  { heading: 'CHAIN', cell: ({ chainId }) => chainId },
  { heading: 'STATUS', cell: ({ status }) => status, paint: paintStatus },
  { heading: 'ATTEMPTS', cell: ({ attempts }) => String(attempts), isOptional: true },
  { heading: 'LAST ATTEMPT', cell: ({ lastAttemptAt }) => lastAttemptAt },
  { heading: 'RESPONSE', cell: formatResponse },
  { heading: 'NEXT ATTEMPT', cell: ({ nextAttemptAt }) => nextAttemptAt ?? '', isOptional: true },
  { heading: 'ERROR', cell: ({ error }) => error ?? '' },
]

function formatResponse({ responseStatus, durationMs }: DeliveryView): string {
  return responseStatus === null ? 'none' : `${responseStatus} in ${durationMs} ms`
}

function formatDeliveries({ deliveries }: { readonly deliveries: readonly DeliveryView[] }, layout: Layout): string {
  if (deliveries.length === 0) return 'Nothing was sent to this hook yet.'
  return formatItems(deliveries, { columns: deliveryColumns, layout })
}
