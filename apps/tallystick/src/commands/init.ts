import { type Command, InvalidArgumentError } from 'commander'
import { type Part, parts, questions } from '../init/questions.ts'
import type { InitOptions, InitResult } from '../init/run-init.ts'
import { addCommonOptions, type CommonOptions, optionWithValues } from './options.ts'
import type { Style } from './terminal/layout.ts'
import { createOutput, exitCodes } from './terminal/output.ts'
import type { Terminal } from './terminal/terminal.ts'

type Options = CommonOptions & { readonly yes: boolean; readonly probe: boolean; readonly add?: Part } & Readonly<
    Record<string, string | undefined>
  >

export function addInitCommand(program: Command, terminal: Terminal): void {
  const init = addCommonOptions(
    program.command('init'),
    'init',
    `init --yes --proxy 10.0.0.10 --database env:DATABASE_URL --chain 324 --pool ${exampleAddress} --rpc env:RPC_324`,
    `init --yes --cert fullchain.pem --key privkey.pem --chain 324 --pool ${exampleAddress} --signer keystore:key.json --signer-password env:KEYSTORE_PASSWORD`,
    `init --add chain --yes --chain 8453 --pool ${exampleAddress} --rpc env:RPC_8453`,
    'init --add log --yes --log notes.example/log',
  ).description('ask a few questions and write a configuration that works')
  for (const { flags, text, fallback } of questions) {
    const otherwise = fallback?.({}) ?? ''
    init.option(flags, otherwise === '' || otherwise.endsWith(' ') ? text : `${text} (default: ${otherwise})`)
  }
  const add = optionWithValues('--add <part>', 'add a chain or the public log to the configuration that exists', parts)
  init
    .addOption(add.argParser(parsePart))
    .option('--yes', 'ask nothing: take the defaults of all questions that no option answers', false)
    .option('--no-probe', 'do not ask the RPC and the database whether they answer')
    .action(async (options: Options, command: Command) => run(options, { terminal, command }))
}

function parsePart(value: string): Part {
  const part = parts.find((known) => known === value)
  if (part) return part
  throw new InvalidArgumentError('Give "chain" or "log".')
}

const exampleAddress = '0x529d825EBFeFd66B80aC02609c0Fbd9EaaDD6781'

async function run(
  { yes, probe, add, ...options }: Options,
  { terminal, command }: { readonly terminal: Terminal; readonly command: Command },
): Promise<void> {
  const [
    { runInit },
    { createPrompter, InputEndedError },
    { WrongOptionError },
    { probeAnswer },
    { readConfigSchema },
  ] = await Promise.all([
    import('../init/run-init.ts'),
    import('../init/create-prompter.ts'),
    import('../init/collect-answers.ts'),
    import('../init/probe-answer.ts'),
    import('./config-command.ts'),
  ])
  const output = createOutput(terminal, options)
  const { style } = output.layout
  const { stdin, stdout, stderr, env } = terminal
  // With --json the answer on stdout is one document, so the questions go to stderr.
  const screen = output.json ? stderr : stdout
  const isTerminal = stdin.isTTY === true && screen.isTTY === true
  const prompter = yes ? undefined : createPrompter({ input: stdin, output: screen, isTerminal })
  const ask = prompter && createAsk((prompt) => prompter.ask(prompt), { print: (line) => screen.write(line), style })
  const say = (text: string) => (yes ? stderr : screen).write(`${yes ? '' : '  '}${style.dim(text)}\n`)
  const cwd = process.cwd()
  try {
    const { config: configPath } = options
    const result = await runInit({
      add,
      given: options,
      env,
      ask,
      probe: probe ? (name, answer, answers) => probeAnswer(name, answer, { answers, env, cwd, say }) : undefined,
      configPath,
      schema: readConfigSchema(),
      cwd,
    })
    output.document(result)
    output.text(formatResult(result, { add, style }))
  } catch (error) {
    if (error instanceof WrongOptionError) command.error(`error: ${error.message}`)
    if (!(error instanceof InputEndedError)) throw error
    stderr.write(`${error.message} Nothing was written. Without a terminal, give the answers as options with --yes.\n`)
    terminal.exitCode = exitCodes.failed
  } finally {
    prompter?.close()
  }
}

/** Returns the function that asks a question until its answer is right. */
function createAsk(
  ask: (prompt: string) => Promise<string>,
  { print, style }: { readonly print: (line: string) => void; readonly style: Style },
): NonNullable<InitOptions['ask']> {
  return async ({ text }, { fallback, check }) => {
    const hint = fallback === undefined ? '' : ` [${fallback || 'none'}]`
    for (;;) {
      const typed = await ask(`${text.charAt(0).toUpperCase()}${text.slice(1)}${hint}: `)
      const answer = typed === '' || (typed === 'none' && fallback === '') ? (fallback ?? '') : typed
      const fault = answer === '' && fallback === undefined ? 'is needed' : await check(answer)
      if (fault === undefined) return answer
      print(`  ${style.yellow(`The answer ${fault}.`)}\n`)
    }
  }
}

function formatResult(
  { config, secrets, newSigner, verifierKey, variables, next }: InitResult,
  { add, style }: { readonly add: Part | undefined; readonly style: Style },
): string {
  return [
    style.green(add ? `Added the ${add} to ${config}.` : `Wrote ${config}.`),
    ...(secrets.length > 0 ? [`Wrote secrets to ${secrets.join(', ')}. Only you can read them. Back them up.`] : []),
    ...(newSigner
      ? [`The new signer is ${newSigner}. The pool accepts its notes after setVerifierSigner(${newSigner}).`]
      : []),
    ...(verifierKey
      ? [`The key of the log is ${verifierKey}. Publish it where people look for it, such as your website.`]
      : []),
    ...(add === 'chain'
      ? [
          'The pool must have the signer of this configuration, and a curve for all chains or for this one. Doctor checks both.',
        ]
      : []),
    ...(variables.length > 0
      ? [style.yellow(`Set these variables first, here and for the service: ${variables.join(', ')}.`)]
      : []),
    '',
    'Next:',
    ...next.map((line) => `  $ ${line}`),
    ...(next.some((line) => line.includes(' curve set ')) ? ['The coupons are an example: give your own.'] : []),
  ].join('\n')
}
