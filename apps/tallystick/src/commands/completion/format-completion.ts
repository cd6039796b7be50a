import type { Command } from 'commander'
import {
  type CompletionNode,
  type CompletionOption,
  type CompletionValue,
  listCompletionNodes,
  listSteps,
  listValueOptions,
  type Shell,
} from './completion-tree.ts'

const formats: Readonly<Record<Shell, (nodes: readonly CompletionNode[]) => string>> = {
  bash: formatBash,
  zsh: formatZsh,
  fish: formatFish,
}

/** Formats the completion script of a program. It contains all words, so that completing starts no process. */
export function formatCompletion(shell: Shell, program: Command): string {
  const title = `Completion of tallystick ${program.version()} for ${shell}, by \`tallystick completion ${shell}\`.`
  const [first = '', ...rest] = formats[shell](listCompletionNodes(program)).split('\n')
  // `#compdef` must be the first line.
  return first.startsWith('#') ? [first, `# ${title}`, ...rest].join('\n') : [`# ${title}`, first, ...rest].join('\n')
}

function formatBash(nodes: readonly CompletionNode[]): string {
  const reply = (value: CompletionValue) => {
    if (value === 'file') return `compopt -o filenames 2>/dev/null; IFS=$'\\n'; COMPREPLY=($(compgen -f -- "$cur"))`
    return typeof value === 'string' ? ':' : `COMPREPLY=($(compgen -W ${quote(value.join(' '))} -- "$cur"))`
  }
  return `_tallystick() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} at='' i IFS=$' \\t\\n'
  # bash splits --option=value at the equals sign.
  if [[ $cur == '=' ]]; then cur=''
  elif [[ $prev == '=' ]]; then prev=\${COMP_WORDS[COMP_CWORD-2]}; fi
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at|\${COMP_WORDS[i]}" in
${formatCases(nodes, `[[ \${COMP_WORDS[i+1]} == = ]] && ((i++)); ((i++))`)}
    esac
  done
  case "$at|$prev" in
${formatValueCases(nodes, (value) => `${reply(value)}; return`)}
  esac
  case "$at|$cur" in
${nodes
  .flatMap(({ path, commands, options, argument }) => [
    `    ${quote(`${path}|-`)}*) COMPREPLY=($(compgen -W ${quote(flagsOf(options).join(' '))} -- "$cur"));;`,
    `    ${quote(`${path}|`)}*) ${reply(commands.length > 0 ? commands.map(({ name }) => name) : orFlags(argument, options))};;`,
  ])
  .join('\n')}
  esac
}
complete -F _tallystick tallystick
`
}

function formatZsh(nodes: readonly CompletionNode[]): string {
  const reply = (value: CompletionValue) => {
    if (value === 'file') return '_files'
    return typeof value === 'string' ? '_message value' : `compadd -- ${value.map(quote).join(' ')}`
  }
  const items = (entries: readonly (readonly [string, string])[]) =>
    entries.map(([name, description]) => quote(`${name.replaceAll(':', '\\:')}:${description}`)).join(' ')
  return `#compdef tallystick
_tallystick() {
  local at='' prev=\${words[CURRENT-1]} i
  local -a found
  for ((i = 2; i < CURRENT; i++)); do
    case "$at|\${words[i]}" in
${formatCases(nodes, '((i++))')}
    esac
  done
  if [[ $PREFIX == --*=* ]]; then prev=\${PREFIX%%=*}; compset -P '*='; fi
  case "$at|$prev" in
${formatValueCases(nodes, (value) => `${reply(value)}; return`)}
  esac
  case "$at|$PREFIX" in
${nodes
  .flatMap(({ path, commands, options, argument }) => [
    `    ${quote(`${path}|-`)}*) found=(${items(flagEntries(options))}); _describe -o option found;;`,
    commands.length > 0
      ? `    ${quote(`${path}|`)}*) found=(${items(commands.map(({ name, description }) => [name, description]))}); _describe command found;;`
      : `    ${quote(`${path}|`)}*) ${reply(orFlags(argument, options))};;`,
  ])
  .join('\n')}
  esac
}
# As a file of $fpath this is the body of the function. Sourced, it registers the function.
if [[ $funcstack[1] == _tallystick ]]; then _tallystick "$@"; else compdef _tallystick tallystick; fi
`
}

function formatFish(nodes: readonly CompletionNode[]): string {
  const at = (path: string) => `complete -c tallystick -n ${quote(`__tallystick_at "${path}"`)}`
  const value = (of: CompletionValue) => {
    if (of === 'none') return ''
    if (of === 'file') return ' -r -F'
    return typeof of === 'string' ? ' -x' : ` -x -a ${quote(of.join(' '))}`
  }
  const option = (path: string, { flags, description, value: of }: CompletionOption) => {
    const names = flags.map((flag) => (flag.startsWith('--') ? ` -l ${flag.slice(2)}` : ` -s ${flag.slice(1)}`))
    return `${at(path)}${names.join('')}${value(of)} -d ${quote(description)}`
  }
  const argument = (path: string, of: CompletionValue) => {
    if (of === 'file') return [`${at(path)} -F`]
    return typeof of === 'string' ? [] : [`${at(path)} -a ${quote(of.join(' '))}`]
  }
  const lines = nodes.flatMap((node) => [
    ...node.commands.map(({ name, description }) => `${at(node.path)} -a ${name} -d ${quote(description)}`),
    ...argument(node.path, node.argument),
    ...node.options.map((of) => option(node.path, of)),
  ])
  return `function __tallystick_at
  set -l at ''
  set -l skip 0
  for word in (commandline -opc)[2..-1]
    if test $skip = 1
      set skip 0
      continue
    end
    switch "$at|$word"
${listSteps(nodes)
  .map(({ from, word, to }) => `      case ${quote(`${from}|${word}`)}\n        set at ${quote(to)}`)
  .join('\n')}
      case ${listValueOptions(nodes)
        .map(({ path, flag }) => quote(`${path}|${flag}`))
        .join(' ')}
        set skip 1
    end
  end
  test "$at" = "$argv[1]"
end
complete -c tallystick -f
${lines.join('\n')}
`
}

/** Formats the cases that follow the words of the command line: to the next command, or past the value of an option. */
function formatCases(nodes: readonly CompletionNode[], skip: string): string {
  const steps = listSteps(nodes).map((step) => `      ${quote(`${step.from}|${step.word}`)}) at=${quote(step.to)};;`)
  const options = listValueOptions(nodes).map(({ path, flag }) => quote(`${path}|${flag}`))
  return [...steps, `      ${options.join('|')}) ${skip};;`].join('\n')
}

function formatValueCases(nodes: readonly CompletionNode[], format: (value: CompletionValue) => string): string {
  return listValueOptions(nodes)
    .map(({ path, flag, value }) => `    ${quote(`${path}|${flag}`)}) ${format(value)};;`)
    .join('\n')
}

function orFlags(argument: CompletionValue, options: readonly CompletionOption[]): CompletionValue {
  return argument === 'none' ? flagsOf(options) : argument
}

function flagsOf(options: readonly CompletionOption[]): string[] {
  return options.flatMap(({ flags }) => flags)
}

function flagEntries(options: readonly CompletionOption[]): [string, string][] {
  return options.flatMap(({ flags, description }) => flags.map((flag): [string, string] => [flag, description]))
}

/** Quotes a word for a POSIX shell. fish reads this form as well, because no text contains a backslash. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
