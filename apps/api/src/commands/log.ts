import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { TallystickError } from '@tallystick/core'
import { formatVerifierKey, isOrigin } from '@tallystick/core/transparency/verifier-key'
import type { Command } from 'commander'
import type { LogReport } from '../admin/log-report.ts'
import { readConfigJson } from '../config.ts'
import { createLogKeyText, type LogKey, parseLogKey } from '../log/log-key.ts'
import { addCommonOptions, type CommonOptions } from './options.ts'
import { createOutput, exitCodes } from './output.ts'
import type { Terminal } from './terminal.ts'
import { withReader } from './with-operator.ts'

export function addLogCommand(program: Command, terminal: Terminal): void {
  const log = program.command('log').description('create the key of the public log, verify the log in the database')
  addCommonOptions(log.command('init').description('create the key of the public log'))
    .option('--origin <name>', 'name of the log, such as notes.example/log (default: log.origin of the configuration)')
    .option('--out <file>', 'file to write the key to (default: the file of log.key in the configuration)')
    .action(async (options: CommonOptions & InitOptions) => {
      const { origin, path } = chooseTarget(options)
      const verifierKey = await createKeyFile(origin, path)
      const output = createOutput(terminal, options.json)
      output.document({ origin, path, verifierKey })
      output.text(
        [
          `Wrote the key of ${origin} to ${path}. Back it up, and give it to every replica.`,
          `Verifier key, for everyone: ${verifierKey}`,
          `Configuration: "log": { "origin": "${origin}", "key": "file:${path}" }`,
        ].join('\n'),
      )
    })
  addCommonOptions(log.command('show').description('verify the log in the database and show its state')).action(
    async ({ config, json }: CommonOptions) => {
      const report = await withReader({ path: config, env: terminal.env }, (operator) => operator.showLog())
      const output = createOutput(terminal, json)
      output.document(report)
      output.text(formatReport(report))
      if (!report.isRootValid || report.alteredRows.length > 0) terminal.exitCode = exitCodes.failed
    },
  )
}

type InitOptions = { readonly origin?: string | undefined; readonly out?: string | undefined }

/** Returns origin and file of the new key, from the options or the configuration. */
function chooseTarget({ config, ...options }: CommonOptions & InitOptions) {
  const { log } = (existsSync(config) ? readConfigJson(config) : {}) as { log?: { origin?: unknown; key?: unknown } }
  const origin = options.origin ?? log?.origin
  if (typeof origin !== 'string' || !isOrigin(origin)) {
    throw refuse('Give the name of the log with --origin, such as notes.example/log, without spaces and plus signs.')
  }
  const [, configured] = /^file:(.+)$/.exec(String(log?.key)) ?? []
  const path = options.out ?? (configured && resolve(dirname(config), configured))
  if (!path) throw refuse('Give the file to write the key to with --out.')
  return { origin, path }
}

/** Writes a new key and returns its verifier key. Never overwrites a file: the old log could not continue without it. */
async function createKeyFile(origin: string, path: string): Promise<string> {
  const text = createLogKeyText(origin)
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  try {
    await writeFile(path, `${text}\n`, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') throw refuse(`${path} exists and was not changed. A log cannot go on with another key.`)
    throw refuse(`The key cannot be written to ${path} (${code}).`)
  }
  return formatVerifierKey((parseLogKey(text) as LogKey).verifier)
}

function formatReport({ entries, checkpoint, isRootValid, alteredRows }: LogReport): string {
  if (!checkpoint) return `The log has ${entries} entries and no checkpoint yet.`
  const root = isRootValid ? 'They have the root that it signs.' : 'THEY DO NOT HAVE THE ROOT THAT IT SIGNS.'
  return [
    `The log has ${entries} entries. The newest checkpoint covers ${checkpoint.size}. ${root}`,
    ...alteredRows.map((row) => `CHANGED  ${row}`),
    '',
    checkpoint.note.trimEnd(),
  ].join('\n')
}

function refuse(message: string): TallystickError {
  return new TallystickError({ code: 'invalid_config', message, retryable: false })
}
