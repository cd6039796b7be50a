import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { createCommand } from '../apps/sandbox/src/options.ts'
import { createProgram } from '../apps/tallystick/src/commands/create-program.ts'
import { exitCodes } from '../apps/tallystick/src/commands/terminal/output.ts'

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
  const commands = listCommands(createProgram(process), '')
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
