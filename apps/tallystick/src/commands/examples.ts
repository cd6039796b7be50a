import type { Command } from 'commander'

const examples = new WeakMap<Command, readonly string[]>()

/** Adds examples to the help of a command. Each is the command line after `tallystick`. A test parses all of them. */
export function addExamples(command: Command, ...lines: readonly string[]): Command {
  examples.set(command, lines)
  return command.addHelpText('after', () => {
    const title = command.createHelp().styleTitle(lines.length === 1 ? 'Example:' : 'Examples:')
    return ['', title, ...lines.map((line) => `  $ ${`tallystick ${line}`.trim()}`)].join('\n')
  })
}

export function examplesOf(command: Command): readonly string[] {
  return examples.get(command) ?? []
}
