import { Argument, type Command } from 'commander'
import { addExamples } from '../options.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { type Shell, shells } from './completion-tree.ts'

/** Adds the command that prints a completion script. It completes the commands and options of this very program. */
export function addCompletionCommand(program: Command, terminal: Terminal): void {
  addExamples(
    program.command('completion'),
    'completion bash > ~/.local/share/bash-completion/completions/tallystick',
    'completion zsh > ~/.zfunc/_tallystick',
    'completion fish > ~/.config/fish/completions/tallystick.fish',
  )
    .description('print the script that lets a shell complete commands, options and values')
    .addArgument(new Argument('<shell>', 'shell to print it for').choices(shells))
    .action(async (shell: Shell) => {
      const { formatCompletion } = await import('./format-completion.ts')
      terminal.stdout.write(formatCompletion(shell, program))
    })
}
