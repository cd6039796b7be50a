import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { listCompletionNodes, type Shell, shells } from '../../src/commands/completion/completion-tree.ts'
import { formatCompletion } from '../../src/commands/completion/format-completion.ts'
import { createProgram } from '../../src/commands/create-program.ts'

const program = createProgram(process)
const nodes = listCompletionNodes(program)
const directory = mkdtempSync(join(tmpdir(), 'tallystick-completion-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))
writeFileSync(join(directory, 'a file.json'), '')

// The words before the cursor, and what must be offered there.
const cases: readonly (readonly [readonly string[], readonly string[]])[] = [
  [['ke'], ['keys']],
  [['nothing-like-this'], []],
  [
    ['keys', ''],
    ['create', 'list', 'revoke', 'rotate', 'show', 'update', 'usage', 'help'],
  ],
  [['keys', 'create', '--ki'], ['--kind']],
  [
    ['keys', 'create', '--kind', ''],
    ['live', 'test'],
  ],
  // The value of an option is not taken for a command.
  [['--no-color', 'keys', 'create', '--name', 'list', '--kin'], ['--kind']],
  [['keys', 'create', '--name', ''], []],
  [['completion', ''], [...shells]],
  [['completion', 'z'], ['zsh']],
  [['notes', 'verify', join(directory, 'a')], [join(directory, 'a file.json')]],
  [['keys', 'list', '--config', join(directory, 'a')], [join(directory, 'a file.json')]],
]

const quote = (text: string) => `'${text}'`

// Each prints the offers of all cases: one offer per line, and an empty line after each case.
const harnesses: Readonly<Record<Shell, (script: string) => string>> = {
  bash: (script) =>
    [
      script,
      `offer() { COMP_WORDS=("$@"); COMP_CWORD=$(($#-1)); _tallystick; printf "%s\\n" "\${COMPREPLY[@]}"; echo ==; }`,
      ...cases.map(([words]) => `offer tallystick ${words.map(quote).join(' ')}`),
    ].join('\n'),
  // The completion system works only inside the line editor. These print what the script hands to it.
  zsh: (script) =>
    [
      'compdef() { :; }; _message() { :; }; _files() { print -rl -- $PREFIX*(N); }',
      'compadd() { shift; for word in "$@"; do [[ $word == $PREFIX* ]] && print -r -- $word; done; }',
      `_describe() { for word in "\${found[@]}"; do [[ $word == $PREFIX* ]] && print -r -- \${word%%:*}; done; }`,
      script,
      `offer() { words=("$@"); CURRENT=$#; PREFIX=\${words[-1]}; _tallystick; print "=="; }`,
      ...cases.map(([words]) => `offer tallystick ${words.map(quote).join(' ')}`),
    ].join('\n'),
  fish: (script) =>
    [script, ...cases.map(([words]) => `complete -C 'tallystick ${words.join(' ')}'; echo ==`)].join('\n'),
}

function isInstalled(shell: Shell): boolean {
  return spawnSync(shell, ['-c', 'true']).error === undefined
}

test.each(shells)('default: %s is offered the commands, options and values of the program', (shell) => {
  const script = formatCompletion(shell, program)
  for (const { path, commands, options } of nodes) {
    for (const { name } of commands) expect([path, script]).toEqual([path, expect.stringContaining(name)])
    for (const flag of options.flatMap(({ flags }) => flags.map((name) => name.replace(/^-+/, ''))))
      expect([path, script]).toEqual([path, expect.stringContaining(flag)])
  }
  if (!isInstalled(shell)) {
    process.stdout.write(`${shell} is not installed: only the words of its completion script were checked.\n`)
    return
  }
  const path = join(directory, `harness.${shell}`)
  writeFileSync(path, harnesses[shell](script))
  const flags = { bash: ['--norc'], zsh: ['-f'], fish: ['--no-config'] }[shell]
  const { status, stdout, stderr } = spawnSync(shell, [...flags, path], { encoding: 'utf8' })
  expect([status, stderr]).toEqual([0, ''])
  const offers = stdout
    .split('==\n')
    .slice(0, -1)
    .map((text) => text.split('\n').flatMap((line) => line.split('\t')[0] || []))
  expect(offers.map((offered) => offered.toSorted())).toEqual(cases.map(([, expected]) => expected.toSorted()))
})

test('behavior: bash completes the value after an equals sign, which it makes a word of its own', () => {
  const script = [
    formatCompletion('bash', program),
    `COMP_WORDS=(tallystick keys create --kind = l); COMP_CWORD=5; _tallystick; echo "\${COMPREPLY[*]}"`,
    `COMP_WORDS=(tallystick keys create --kind =); COMP_CWORD=4; _tallystick; echo "\${COMPREPLY[*]}"`,
  ].join('\n')
  expect(spawnSync('bash', ['--norc', '-c', script], { encoding: 'utf8' }).stdout).toBe('live\nlive test\n')
})
