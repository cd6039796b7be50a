import type { DeliveryAttempt, DeliveryReport } from '@tallystick/core'
import { type Command, Option } from 'commander'
import { makeChange, showReport } from '../operator/with-operator.ts'
import { addCommonOptions, type CommonOptions } from '../options.ts'
import type { Layout } from '../terminal/layout.ts'
import { exitCodes } from '../terminal/output.ts'
import { formatItems, type ItemColumns } from '../terminal/table.ts'
import type { Terminal } from '../terminal/terminal.ts'

const exampleId = 'hook_4fH2kQ9xL0aB'

/** Adds the commands that show one delivery of a hook and send it again. */
export function addDeliveryCommands(hooks: Command, terminal: Terminal): void {
  addCommonOptions(hooks.command('delivery <id> <event>'), `hooks delivery ${exampleId} 1204`)
    .description('show what was sent for an event, and what the receiver responded')
    .action((id: string, event: string, options: CommonOptions) =>
      showReport(terminal, {
        options,
        read: (operator) => operator.showDelivery(id, event),
        format: formatDelivery,
      }),
    )
  addCommonOptions(
    hooks.command('resend <id> [event]'),
    `hooks resend ${exampleId} 1204`,
    `hooks resend ${exampleId} --failed`,
  )
    .description('send an event again now, or all that failed; a receiver that has it knows its webhook-id')
    .addOption(new Option('--failed', 'send what failed, and then what waits, in order, as `hooks enable` does'))
    .action(
      (
        id: string,
        event: string | undefined,
        options: CommonOptions & { readonly failed?: boolean },
        command: Command,
      ) => {
        if ((event === undefined) !== (options.failed === true))
          command.error('error: give an event, or --failed', { exitCode: exitCodes.usage })
        return event === undefined
          ? resendFailed(terminal, { id, options })
          : resendOne(terminal, { id, event, options })
      },
    )
}

type Resend = { readonly id: string; readonly options: CommonOptions }

function resendFailed(terminal: Terminal, { id, options }: Resend): Promise<void> {
  return makeChange(terminal, {
    options,
    change: (operator) => operator.enableHook(id),
    format: ({ hook }) => `Hook ${hook.id} is on. It continues with the first event that was not delivered.`,
  })
}

function resendOne(terminal: Terminal, { id, event, options }: Resend & { readonly event: string }): Promise<void> {
  return makeChange(terminal, {
    options,
    change: (operator) => operator.resendDelivery(id, event),
    format: ({ hook, isDelivered, status, error, durationMs }) =>
      isDelivered
        ? `Event ${event} was delivered to ${hook.id}: status ${status} after ${durationMs} ms.`
        : `Event ${event} was NOT delivered to ${hook.id} (after ${durationMs} ms): ${error}.`,
    exitCode: ({ isDelivered }) => (isDelivered ? undefined : exitCodes.failed),
  })
}

const attemptColumns: ItemColumns<DeliveryAttempt> = [
  { heading: 'ATTEMPT', cell: ({ at }) => at },
  { heading: 'RESPONSE', cell: ({ status, durationMs }) => `${status ?? 'none'} in ${durationMs} ms` },
  { heading: 'BY', cell: ({ isResend }) => (isResend ? 'operator' : 'service') },
  { heading: 'ERROR', cell: ({ error }) => error ?? '' },
]

function formatDelivery({ delivery, payload, attempts }: DeliveryReport, layout: Layout): string {
  const { event, type, chainId, status, webhookId } = delivery
  const response = attempts.find((attempt) => attempt.response !== null)?.response
  return [
    `Event ${event} (${type} of chain ${chainId}) is ${status}. webhook-id: ${webhookId}`,
    '',
    payload ?? 'The event was deleted. Events are kept for 4 days.',
    ...(attempts.length === 0 ? [] : ['', formatItems(attempts, { columns: attemptColumns, layout })]),
    ...(response
      ? ['', 'Last response:', ...response.headers.map(([name, value]) => `${name}: ${value}`), '', response.body]
      : []),
    ...(response?.isCut ? ['(the body goes on)'] : []),
  ].join('\n')
}
