import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { expect, test } from 'vitest'
import { addAuditCommand } from '../apps/api/src/commands/audit.ts'
import { addCurveCommand } from '../apps/api/src/commands/curve.ts'
import { addDoctorCommand } from '../apps/api/src/commands/doctor.ts'
import { addHooksCommand } from '../apps/api/src/commands/hooks.ts'
import { addKeysCommand } from '../apps/api/src/commands/keys.ts'
import { addLogCommand } from '../apps/api/src/commands/log.ts'
import { addMonitorCommand } from '../apps/api/src/commands/monitor.ts'
import { addNotesCommand } from '../apps/api/src/commands/notes.ts'
import { exitCodes } from '../apps/api/src/commands/output.ts'
import { addServeCommand } from '../apps/api/src/commands/serve.ts'
import { addStatusCommand } from '../apps/api/src/commands/status.ts'
import { createCommand } from '../apps/sandbox/src/options.ts'

const text = readFileSync(new URL('../docs/command-line.md', import.meta.url), 'utf8')
const documented = [...text.matchAll(/^\| `(.+?)` \|/gm)].map(([, command]) => command as string)
const commonOptions = ['--config', '--json']

function listCommands(
  command: Command,
  path: string,
): { readonly name: string; readonly options: readonly string[] }[] {
  const options = command.options.map(({ long }) => long as string).filter((option) => !commonOptions.includes(option))
  if (command.commands.length === 0) return [{ name: path, options }]
  return command.commands.flatMap((child) => listCommands(child, `${path} ${child.name()}`.trim()))
}

test('default: the documented commands and options are exactly those that exist', () => {
  const program = new Command()
  for (const add of [
    addServeCommand,
    addStatusCommand,
    addKeysCommand,
    addCurveCommand,
    addNotesCommand,
    addLogCommand,
    addHooksCommand,
    addAuditCommand,
    addDoctorCommand,
    addMonitorCommand,
  ]) {
    add(program, process)
  }
  const commands = listCommands(program, '')
  const found = documented.map((line) => ({
    name: commands.find(({ name }) => line === name || line.startsWith(`${name} `))?.name ?? line,
    options: line.match(/--[\w-]+/g) ?? [],
  }))
  const sorted = <Item extends { readonly name: string }>(items: readonly Item[]) =>
    items.toSorted((a, b) => a.name.localeCompare(b.name))
  expect(sorted(found)).toEqual(sorted(commands))
})

test('default: every exit code is documented', () => {
  expect([...text.matchAll(/^\| (\d) \|/gm)].map(([, code]) => Number(code))).toEqual(Object.values(exitCodes))
})

test('default: every option of the sandbox is documented', () => {
  const sandbox = readFileSync(new URL('../docs/sandbox.md', import.meta.url), 'utf8')
  const options = [...sandbox.matchAll(/^\| `(--[\w-]+)/gm)].map(([, option]) => option as string)
  expect(options.toSorted()).toEqual(
    createCommand()
      .options.map(({ long }) => long as string)
      .toSorted(),
  )
})
