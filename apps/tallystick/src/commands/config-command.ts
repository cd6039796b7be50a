import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Command } from 'commander'
import { addExamples } from './options.ts'
import type { Terminal } from './terminal/terminal.ts'

export function addConfigCommand(program: Command, terminal: Terminal): void {
  const example = 'config schema > tallystick.schema.json'
  const config = addExamples(program.command('config').description('describe the configuration file'), example)
  addExamples(config.command('schema'), example)
    .description('print the JSON Schema of the configuration, to be named in its "$schema"')
    .option('--json', 'print JSON, which it always does', false)
    .action(() => {
      terminal.stdout.write(readConfigSchema())
    })
}

/** Returns the text of the JSON Schema that belongs to this version. */
export function readConfigSchema(): string {
  return readFileSync(createRequire(import.meta.url).resolve('@tallystick/service/config.schema.json'), 'utf8')
}
