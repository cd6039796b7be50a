import type { Command } from 'commander'
import { addCommonOptions, type CommonOptions, optionWithValues } from './options.ts'
import type { Terminal } from './terminal/terminal.ts'

const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'silent']

type ServeOptions = CommonOptions & { readonly logLevel: string }

export function addServeCommand(program: Command, terminal: Terminal): void {
  addCommonOptions(program.command('serve'), 'serve', 'serve --config /etc/tallystick/tallystick.json --log-level warn')
    .description('run the service')
    .addOption(
      optionWithValues('--log-level <level>', 'what to log, as JSON lines on stderr', logLevels).default('info'),
    )
    .action(async (options: ServeOptions) => {
      // Imported here because it takes almost 1 s to load and no other command needs it.
      const { runServe } = await import('./run-serve.ts')
      await runServe(options, terminal)
    })
}
