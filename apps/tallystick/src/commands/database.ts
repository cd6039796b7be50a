import { type Command, InvalidArgumentError } from 'commander'
import type { DatabaseReport } from '../schema/database-report.ts'
import type { RevertReport } from '../schema/revert-schema.ts'
import { nameUser } from './operator/name-user.ts'
import { addCommonOptions, addExamples, type CommonOptions } from './options.ts'
import type { Layout } from './terminal/layout.ts'
import { exitCodes, print } from './terminal/output.ts'
import { formatTable } from './terminal/table.ts'
import type { Terminal } from './terminal/terminal.ts'

type RevertOptions = CommonOptions & { readonly to?: string; readonly yes: boolean }

export function addDatabaseCommand(program: Command, terminal: Terminal): void {
  const database = program.command('database').description('show the schema of the database, and take an upgrade back')
  addExamples(database, 'database status', 'database revert')
  addStatusCommand(database, terminal)
  addRevertCommand(database, terminal)
}

function addStatusCommand(database: Command, terminal: Terminal): void {
  const status = addCommonOptions(
    database.command('status').description('show which migrations are applied, and the releases that run'),
  ).action(async (options: CommonOptions) => {
    const { runOnSchema } = await import('./operator/run-on-schema.ts')
    const { reportDatabase } = await import('../schema/database-report.ts')
    const report = await runOnSchema({ terminal, options }, reportDatabase)
    print({ terminal, options }, { document: report, text: (layout) => formatDatabase(report, layout) })
    if (report.migrations.some(({ state }) => state === 'blocking')) terminal.exitCode = exitCodes.failed
  })
  addExamples(status, 'database status', 'database status --json')
}

function addRevertCommand(database: Command, terminal: Terminal): void {
  const revert = addCommonOptions(
    database
      .command('revert')
      .description('take back the migrations of the newest release, after its replicas have stopped'),
  )
    .option('--to <release>', 'release whose schema stays (default: the one before the newest migration)', parseRelease)
    .option('--yes', 'change the database; without it, the migrations and the data that is lost are only listed', false)
    .action(async ({ to, yes, ...options }: RevertOptions) => {
      const { runOnSchema } = await import('./operator/run-on-schema.ts')
      const { revertSchema } = await import('../schema/revert-schema.ts')
      const request = { to, isConfirmed: yes, actor: `local:${nameUser()}` }
      const report = await runOnSchema({ terminal, options }, (opened) => revertSchema(opened, request))
      print({ terminal, options }, { document: report, text: () => formatRevert(report) })
      if (report.migrations.length > 0 && !report.reverted) terminal.exitCode = exitCodes.failed
    })
  addExamples(revert, 'database revert', 'database revert --yes', 'database revert --to 0.1.0 --yes')
}

function parseRelease(value: string): string {
  if (/^\d{1,6}(\.\d{1,6}){2}$/.test(value)) return value
  throw new InvalidArgumentError('Give a release such as 0.1.0.')
}

function formatDatabase({ database, release, migrations, replicas }: DatabaseReport, layout: Layout): string {
  const running = replicas.map((replica) => [
    replica.name,
    replica.release ?? '0.1.0',
    `${replica.secondsSinceSeen} s ago`,
  ])
  return [
    `${database}, command line of release ${release}`,
    formatTable(
      ['MIGRATION', 'SINCE', 'STATE'],
      migrations.map(({ name, since, state }) => [name, since, state]),
      layout,
    ),
    running.length === 0
      ? 'No replica has announced itself.'
      : formatTable(['REPLICA', 'RELEASE', 'SEEN'], running, layout),
  ].join('\n\n')
}

function formatRevert({ to, reverted, migrations }: RevertReport): string {
  if (migrations.length === 0) return `The database has no migration after release ${to}. Nothing was changed.`
  return [
    `${reverted ? 'Taken back' : 'To take back'} to release ${to}, newest first, with the data that is deleted:`,
    ...migrations.map(({ name, since, loses }) => `  ${name} (${since}): ${loses}`),
    reverted
      ? 'The next start of a newer release applies them again, without that data.'
      : 'Nothing was changed. Make a backup, stop the replicas of the newer release, and run it again with --yes.',
  ].join('\n')
}
