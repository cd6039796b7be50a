import { eventTypes } from '@tallystick/core'
import type { Command } from 'commander'
import { withOperator, withReader } from '../operator/with-operator.ts'
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
import { createOutput, exitCodes, type Output, print } from '../terminal/output.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { formatDeliveries, formatHooks, formatTest } from './format-hooks.ts'

type AddOptions = CommonOptions & { readonly types: string[]; readonly chain?: number }

const exampleId = 'hook_4fH2kQ9xL0aB'

export function addHooksCommand(program: Command, terminal: Terminal): void {
  const hooks = program.command('hooks').description('send events to the URLs of integrators (webhooks)')
  addExamples(hooks, 'hooks add https://wallet.example/hooks --types notes,status', 'hooks list')
  addAddCommand(hooks, terminal)
  const list = addCommonOptions(
    hooks.command('list').description('list the hooks with their URLs and states, without secrets'),
  ).action(async (options: CommonOptions) => {
    const { hooks } = await withReader({ terminal, options }, (operator) => operator.listHooks())
    print({ terminal, options }, { document: { hooks }, text: (layout) => formatHooks(hooks, layout) })
  })
  addExamples(list, 'hooks list')
  addTestCommand(hooks, terminal)
  addChangeCommands(hooks, terminal)
  addRotateCommand(hooks, terminal)
  addDeliveriesCommand(hooks, terminal)
}

function addAddCommand(hooks: Command, terminal: Terminal): void {
  const add = addCommonOptions(hooks.command('add <url>').description('add a hook; its signing secret is shown once'))
    .addOption(
      optionWithValues('--types <list>', 'events to send, comma separated', eventTypes)
        .argParser(parseList)
        .makeOptionMandatory(),
    )
    .option('--chain <id>', 'only events of one chain (default: every chain)', parseChain)
    .action(async (url: string, { types, chain, ...options }: AddOptions) => {
      const request = { url, types, chainId: chain ?? null }
      const added = await withOperator({ terminal, options }, (operator) => operator.addHook(request))
      const output = createOutput(terminal, options)
      output.document(added)
      const { id, chainId } = added.hook
      const of = chainId === null ? 'every chain' : `chain ${chainId}`
      output.text(`Hook ${id} gets ${added.hook.types.join(', ')} of ${of}, from the next event on.`)
      showSecret(output, added.secret)
      output.text(`Try it with \`tallystick hooks test ${id}\`.`)
    })
  addExamples(
    add,
    'hooks add https://wallet.example/hooks --types notes,rate,status',
    'hooks add https://wallet.example/hooks --types notes --chain 324',
  )
}

function addTestCommand(hooks: Command, terminal: Terminal): void {
  const test = addCommonOptions(
    hooks.command('test <id>').description('send a test event now and show the response'),
  ).action(async (id: string, options: CommonOptions) => {
    const tested = await withOperator({ terminal, options }, (operator) => operator.testHook(id))
    print({ terminal, options }, { document: tested, text: () => formatTest(tested) })
    if (!tested.isDelivered) terminal.exitCode = exitCodes.failed
  })
  addExamples(test, `hooks test ${exampleId}`)
}

function addChangeCommands(hooks: Command, terminal: Terminal): void {
  const remove = addCommonOptions(
    hooks.command('remove <id>').description('remove a hook and the list of its deliveries'),
  ).action(async (id: string, options: CommonOptions) => {
    const removed = await withOperator({ terminal, options }, (operator) => operator.removeHook(id))
    print(
      { terminal, options },
      { document: removed, text: () => `Hook ${removed.hook.id} is removed. A request in progress may still arrive.` },
    )
  })
  addExamples(remove, `hooks remove ${exampleId}`)
  const enable = addCommonOptions(
    hooks.command('enable <id>').description('switch a hook on again, or retry a failing one at once'),
  ).action(async (id: string, options: CommonOptions) => {
    const enabled = await withOperator({ terminal, options }, (operator) => operator.enableHook(id))
    print(
      { terminal, options },
      {
        document: enabled,
        text: () => `Hook ${enabled.hook.id} is on. It continues with the first event that was not delivered.`,
      },
    )
  })
  addExamples(enable, `hooks enable ${exampleId}`)
}

function addRotateCommand(hooks: Command, terminal: Terminal): void {
  const rotate = addCommonOptions(
    hooks.command('rotate <id>').description('create a new signing secret; it is shown once'),
  )
    .addOption(graceOption('how long the old secret signs as well'))
    .action(async (id: string, { grace, ...options }: CommonOptions & { readonly grace: number }) => {
      const rotated = await withOperator({ terminal, options }, (operator) =>
        operator.rotateHook(id, { graceSeconds: grace }),
      )
      const output = createOutput(terminal, options)
      output.document(rotated)
      const old = grace === 0 ? 'The old secret is deleted.' : `The old secret signs for ${formatDuration(grace)} more.`
      output.text(`Hook ${rotated.hook.id} has a new secret. ${old}`)
      showSecret(output, rotated.secret)
    })
  addExamples(rotate, `hooks rotate ${exampleId}`, `hooks rotate ${exampleId} --grace 7d`)
}

function addDeliveriesCommand(hooks: Command, terminal: Terminal): void {
  const deliveries = addCommonOptions(
    hooks.command('deliveries <id>').description('list what became of the latest events of a hook'),
  )
    .option('--limit <number>', 'how many deliveries, 1 to 200', wholeNumber(1, 200), 50)
    .action(async (id: string, { limit, ...options }: CommonOptions & { readonly limit: number }) => {
      const list = await withReader({ terminal, options }, (operator) => operator.listDeliveries(id, limit))
      print({ terminal, options }, { document: list, text: (layout) => formatDeliveries(list.deliveries, layout) })
    })
  addExamples(deliveries, `hooks deliveries ${exampleId}`, `hooks deliveries ${exampleId} --limit 200 --json`)
}

function showSecret(output: Output, secret: string): void {
  output.text(`\n  ${secret}\n\nIt is shown only once. The receiver verifies the signatures with it.`)
}
