import type { Command, Option } from 'commander'

export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

/** Value of an option: none, one of a list, a file, or any text, which is not completed. */
export type CompletionValue = 'none' | 'file' | 'any' | readonly string[]

export type CompletionOption = ReturnType<typeof describeOption>

/** Words that can follow a command. */
export type CompletionNode = {
  /** Names of the command and those above it, such as "keys create". Empty for the program. */
  readonly path: string
  readonly commands: readonly { readonly name: string; readonly description: string }[]
  readonly options: readonly CompletionOption[]
  readonly argument: CompletionValue
}

/** Lists all commands of a program with what the shell can complete after each. */
export function listCompletionNodes(command: Command, path = ''): CompletionNode[] {
  const help = command.createHelp()
  const commands = help
    .visibleCommands(command)
    .map((child) => ({ name: child.name(), description: help.subcommandDescription(child) }))
  const options = [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)].map(describeOption)
  const [argument] = command.registeredArguments
  return [
    { path, commands, options, argument: argument ? completionOf(argument.name(), argument.argChoices) : 'none' },
    ...command.commands.flatMap((child) => listCompletionNodes(child, `${path} ${child.name()}`.trim())),
  ]
}

/** Lists the steps from one command to the next: the word after `from` that leads to `to`. */
export function listSteps(nodes: readonly CompletionNode[]): { from: string; word: string; to: string }[] {
  return nodes.flatMap(({ path, commands }) =>
    commands.map(({ name }) => ({ from: path, word: name, to: `${path} ${name}`.trim() })),
  )
}

/** Lists the options that take a value, with the command they belong to. */
export function listValueOptions(nodes: readonly CompletionNode[]) {
  return nodes.flatMap(({ path, options }) =>
    options.flatMap(({ flags, value }) => (value === 'none' ? [] : flags.map((flag) => ({ path, flag, value })))),
  )
}

function describeOption(option: Option) {
  return {
    /** Such as `-h` and `--help`. */
    flags: [option.short, option.long].filter((flag) => flag !== undefined),
    description: option.description,
    value: option.required || option.optional ? completionOf(nameOfValue(option), option.argChoices) : 'none',
  }
}

function nameOfValue({ flags }: Option): string {
  return /[<[](.+)[>\]]/.exec(flags)?.[1] ?? ''
}

function completionOf(name: string, choices: readonly string[] | undefined): CompletionValue {
  if (choices) return choices
  return /^(file|path|directory)$/.test(name) ? 'file' : 'any'
}
