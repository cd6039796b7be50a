import { eventTypes } from '@tallystick/core'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { formatDeliveries, formatHooks, formatTest } from './format-hooks.ts'
import {
  addCommonOptions,
  type CommonOptions,
  formatDuration,
  parseChain,
  parseDuration,
  parseList,
} from './options.ts'
import { createOutput, exitCodes, type Output } from './output.ts'
import type { Terminal } from './terminal.ts'
import { withOperator, withReader } from './with-operator.ts'

type AddOptions = CommonOptions & { readonly types: string[]; readonly chain?: number }

const graceDefault = parseDuration('24h')

export function addHooksCommand(program: Command, terminal: Terminal): void {
  const hooks = program.command('hooks').description('send events to the URLs of integrators (webhooks)')
  addCommonOptions(hooks.command('add <url>').description('add a hook; its signing secret is shown once'))
    .requiredOption('--types <list>', `events to send: ${eventTypes.join(', ')}`, parseList)
    .option('--chain <id>', 'only events of one chain (default: every chain)', parseChain)
    .action(async (url: string, { config, json, types, chain }: AddOptions) => {
      const request = { url, types, chainId: chain ?? null }
      const added = await withOperator({ path: config, env: terminal.env }, (operator) => operator.addHook(request))
      const output = createOutput(terminal, json)
      output.document(added)
      const { id, chainId } = added.hook
      const of = chainId === null ? 'every chain' : `chain ${chainId}`
      output.text(`Hook ${id} gets ${added.hook.types.join(', ')} of ${of}, from the next event on.`)
      showSecret(output, added.secret)
      output.text(`Try it with \`tallystick hooks test ${id}\`.`)
    })
  addCommonOptions(
    hooks.command('list').description('list the hooks with their URLs and states, without secrets'),
  ).action(async ({ config, json }: CommonOptions) => {
    const list = await withReader({ path: config, env: terminal.env }, (operator) => operator.listHooks())
    const output = createOutput(terminal, json)
    output.document(list)
    output.text(formatHooks(list.hooks))
  })
  addTestCommand(hooks, terminal)
  addChangeCommands(hooks, terminal)
  addDeliveriesCommand(hooks, terminal)
}

function addTestCommand(hooks: Command, terminal: Terminal): void {
  addCommonOptions(hooks.command('test <id>').description('send a test event now and show the response')).action(
    async (id: string, { config, json }: CommonOptions) => {
      const tested = await withOperator({ path: config, env: terminal.env }, (operator) => operator.testHook(id))
      const output = createOutput(terminal, json)
      output.document(tested)
      output.text(formatTest(tested))
      if (!tested.isDelivered) terminal.exitCode = exitCodes.failed
    },
  )
}

function addChangeCommands(hooks: Command, terminal: Terminal): void {
  addCommonOptions(hooks.command('remove <id>').description('remove a hook and the list of its deliveries')).action(
    async (id: string, { config, json }: CommonOptions) => {
      const removed = await withOperator({ path: config, env: terminal.env }, (operator) => operator.removeHook(id))
      const output = createOutput(terminal, json)
      output.document(removed)
      output.text(`Hook ${removed.hook.id} is removed. A request in progress may still arrive.`)
    },
  )
  addCommonOptions(hooks.command('rotate <id>').description('create a new signing secret; it is shown once'))
    .addOption(
      new Option('--grace <duration>', 'how long the old secret signs as well: 0, 90s, 30m, 24h, 7d, or seconds')
        .argParser(parseDuration)
        .default(graceDefault, formatDuration(graceDefault)),
    )
    .action(async (id: string, { config, json, grace }: CommonOptions & { readonly grace: number }) => {
      const rotated = await withOperator({ path: config, env: terminal.env }, (operator) =>
        operator.rotateHook(id, { graceSeconds: grace }),
      )
      const output = createOutput(terminal, json)
      output.document(rotated)
      const old = grace === 0 ? 'The old secret is deleted.' : `The old secret signs for ${formatDuration(grace)} more.`
      output.text(`Hook ${rotated.hook.id} has a new secret. ${old}`)
      showSecret(output, rotated.secret)
    })
  addCommonOptions(
    hooks.command('enable <id>').description('switch a hook on again, or retry a failing one at once'),
  ).action(async (id: string, { config, json }: CommonOptions) => {
    const enabled = await withOperator({ path: config, env: terminal.env }, (operator) => operator.enableHook(id))
    const output = createOutput(terminal, json)
    output.document(enabled)
    output.text(`Hook ${enabled.hook.id} is on. It continues with the first event that was not delivered.`)
  })
}

function addDeliveriesCommand(hooks: Command, terminal: Terminal): void {
  addCommonOptions(hooks.command('deliveries <id>').description('list what became of the latest events of a hook'))
    .option('--limit <number>', 'how many deliveries, 1 to 200', parseLimit, 50)
    .action(async (id: string, { config, json, limit }: CommonOptions & { readonly limit: number }) => {
      const list = await withReader({ path: config, env: terminal.env }, (operator) =>
        operator.listDeliveries(id, limit),
      )
      const output = createOutput(terminal, json)
      output.document(list)
      output.text(formatDeliveries(list.deliveries))
    })
}

function parseLimit(value: string): number {
  if (/^[1-9]\d{0,2}$/.test(value) && Number(value) <= 200) return Number(value)
  throw new InvalidArgumentError('Give a whole number from 1 to 200.')
}

function showSecret(output: Output, secret: string): void {
  output.text(`\n  ${secret}\n\nIt is shown only once. The receiver verifies the signatures with it.`)
}
