import { readFileSync } from 'node:fs'
import { Writable } from 'node:stream'
import type { Command } from 'commander'
import { describe, expect, test } from 'vitest'
import { createProgram, everyCommand } from './create-program.ts'
import { runCommandLine } from './run-command-line.ts'
import type { Terminal } from './terminal/terminal.ts'

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))

function nameOf(command: Command): string {
  return [...(command.parent ? [nameOf(command.parent)] : []), command.name()].join(' ')
}

/** Runs a command line and returns what it printed. */
async function run(argv: readonly string[], { env = {}, columns }: { env?: object; columns?: number } = {}) {
  const chunks = { stdout: [] as string[], stderr: [] as string[] }
  const streamOf = (name: 'stdout' | 'stderr') =>
    Object.assign(
      new Writable({
        write: (chunk, _, done) => {
          chunks[name].push(String(chunk))
          done()
        },
      }),
      columns === undefined ? {} : { isTTY: true, columns },
    )
  const terminal: Terminal = {
    env: { ...env },
    stdin: process.stdin,
    stdout: streamOf('stdout'),
    stderr: streamOf('stderr'),
  }
  await runCommandLine(argv, terminal)
  return { exitCode: terminal.exitCode, stdout: chunks.stdout.join(''), stderr: chunks.stderr.join('') }
}

/** Splits a line as a shell does: quotes, comments, and no redirection. */
function splitWords(line: string): string[] {
  const [command = ''] = line.split(' > ')
  return [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? (plain as string))
}

/** Lists the examples in the help of a command, without `tallystick`. */
function examplesOf(command: Command): string[] {
  const texts: string[] = []
  command.configureOutput({ writeOut: (text) => texts.push(text) }).outputHelp()
  return [...texts.join('').matchAll(/^ {2}\$ tallystick ?(.*)$/gm)].map(([, line = '']) => line)
}

describe('examples', () => {
  const commands = everyCommand(createProgram(process))

  test.each(commands.map((command) => [nameOf(command), command] as const))('default: %s', async (name, command) => {
    const examples = examplesOf(command)
    expect(examples.length).toBeGreaterThan(0)
    for (const example of examples) {
      const program = createProgram(process)
      const ran: string[] = []
      for (const leaf of everyCommand(program).filter((each) => each.commands.length === 0))
        leaf.action(() => {
          ran.push(nameOf(leaf))
        })
      await program.parseAsync(splitWords(example), { from: 'user' })
      // The examples of a group are those of its commands.
      expect(ran).toEqual([expect.stringMatching(new RegExp(`^${name}( |$)`))])
    }
  })

  test('behavior: the help of a command shows them', async () => {
    const { exitCode, stdout } = await run(['keys', 'create', '--help'])
    expect([exitCode, stdout]).toEqual([
      0,
      expect.stringContaining('\nExamples:\n  $ tallystick keys create --name "Acme Wallet"\n'),
    ])
  })
})

test.each([[['--version']], [['-V']], [['keys', 'list', '--version']]])(
  'default: %j prints the version of the package',
  async (argv) => {
    expect(await run(argv)).toEqual({ exitCode: 0, stdout: `${version}\n`, stderr: '' })
  },
)

describe('a terminal', () => {
  const codes = '\u001b['

  test('default: help has colours and fits, but not in a pipe, with --no-color or with NO_COLOR', async () => {
    const plain = await run(['keys', '--help'])
    expect(plain.stdout).not.toContain(codes)
    const coloured = await run(['keys', '--help'], { columns: 60 })
    expect(coloured.stdout).toContain(`${codes}1mUsage:${codes}22m`)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the colours.
    const lines = coloured.stdout.replaceAll(/\u001b\[\d+m/g, '').split('\n')
    expect(
      Math.max(...lines.filter((line) => !line.startsWith('  $ ')).map((line) => line.length)),
    ).toBeLessThanOrEqual(60)
    for (const [argv, env] of [
      [['keys', '--help', '--no-color'], {}],
      [['--no-color', 'keys', '--help'], {}],
      [['keys', '--help'], { NO_COLOR: '1' }],
      [['keys', '--help'], { TERM: 'dumb' }],
    ] as const) {
      expect((await run(argv, { env, columns: 60 })).stdout).not.toContain(codes)
    }
    expect((await run(['keys', '--help'], { env: { FORCE_COLOR: '1' } })).stdout).toContain(codes)
  })

  test('error: a failure is red, says what to do, and has no colour with --json', async () => {
    const argv = ['keys', 'list', '--config', '/nowhere/tallystick.json']
    const { exitCode, stderr } = await run(argv, { columns: 60 })
    expect([exitCode, stderr]).toEqual([3, expect.stringContaining(`${codes}31mThere is no configuration file`)])
    const json = await run([...argv, '--json'], { columns: 60, env: { FORCE_COLOR: '1' } })
    expect(JSON.parse(json.stderr)).toMatchObject({ code: 'invalid_config' })
    expect(json.stderr).not.toContain('u001b')
    expect((await run(['keys', 'lst'], { columns: 60 })).stderr).toMatch(
      /unknown command 'lst'[\s\S]*Did you mean list/,
    )
  })
})
