import type { HookTest, ListedHookView } from '@tallystick/core'
import type { DeliveryView } from '@tallystick/service'
import { type Layout, paintStatus, plainLayout } from '../terminal/layout.ts'
import { formatTable } from '../terminal/table.ts'

export function formatHooks(hooks: readonly ListedHookView[], layout: Layout = plainLayout): string {
  if (hooks.length === 0) return 'No hooks yet. Add one with `tallystick hooks add <url> --types notes`.'
  const table = formatTable(
    [
      'ID',
      { heading: 'STATUS', paint: paintStatus },
      'TYPES',
      'CHAIN',
      { heading: 'SECRETS', isOptional: true },
      'WAITING',
      'LAST SUCCESS',
      'URL',
    ],
    hooks.map((hook) => [
      hook.id,
      hook.status,
      hook.types.join(','),
      hook.chainId === null ? 'all' : String(hook.chainId),
      String(hook.secrets),
      String(hook.waiting),
      hook.lastSuccessAt ?? 'never',
      hook.url,
    ]),
    layout,
  )
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

export function formatTest({ hook, isDelivered, status, error, durationMs }: HookTest): string {
  if (isDelivered) return `Delivered to ${hook.id}: status ${status} after ${durationMs} ms.`
  return `NOT delivered to ${hook.id} (after ${durationMs} ms): ${error}.`
}

export function formatDeliveries(deliveries: readonly DeliveryView[], layout: Layout = plainLayout): string {
  if (deliveries.length === 0) return 'Nothing was sent to this hook yet.'
  return formatTable(
    [
      'EVENT',
      'TYPE',
      'CHAIN',
      { heading: 'STATUS', paint: paintStatus },
      { heading: 'ATTEMPTS', isOptional: true },
      'LAST ATTEMPT',
      'RESPONSE',
      { heading: 'NEXT ATTEMPT', isOptional: true },
      'ERROR',
    ],
    deliveries.map((delivery) => [
      delivery.event,
      delivery.type,
      delivery.chainId,
      delivery.status,
      String(delivery.attempts),
      delivery.lastAttemptAt,
      delivery.responseStatus === null ? 'none' : `${delivery.responseStatus} in ${delivery.durationMs} ms`,
      delivery.nextAttemptAt ?? '',
      delivery.error ?? '',
    ]),
    layout,
  )
}
