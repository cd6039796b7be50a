import { type Command, InvalidArgumentError } from 'commander'
import type { DatabaseReport } from '../schema/database-report.ts'
import type { RevertReport } from '../schema/revert-schema.ts'
import { nameUser } from './operator/name-user.ts'
import { addCommonOptions, addExamples, type CommonOptions } from './options.ts'
import type { Layout } from './terminal/layout.ts'
import { exitCodes, print } from './terminal/output.ts'
import { formatItems, type ItemColumns } from './terminal/table.ts'
import type { Terminal } from './terminal/terminal.ts'

type RevertOptions = CommonOptions & { readonly to?: string; readonly yes: boolean }

export function addDatabaseCommand(program: Command, terminal: Terminal): void {
  const database = program.command('database').description('show the schema of the database, and take an upgrade back')
  addExamples(database, 'database status', 'database revert')
  addCommonOptions(database.command('status'), 'database status', 'database status --json')
    .description('show which migrations are applied, and the releases that run')
    .action(async (options: CommonOptions) => {
      const { runOnSchema } = await import('./operator/run-on-database.ts')
      const { reportDatabase } = await import('../schema/database-report.ts')
      const report = await runOnSchema({ path: options.config, env: terminal.env }, reportDatabase)
      print(terminal, { options, document: report, text: (layout) => formatDatabase(report, layout) })
      if (report.migrations.some(({ state }) => state === 'blocking')) terminal.exitCode = exitCodes.failed
    })
  addRevertCommand(database, terminal)
}

function addRevertCommand(database: Command, terminal: Terminal): void {
  addCommonOptions(
    database.command('revert'),
    'database revert',
    'database revert --yes',
    'database revert --to 0.1.0 --yes',
  )
    .description('take back the migrations of the newest release, after its replicas have stopped')
    .option('--to <release>', 'release whose schema stays (default: the one before the newest migration)', parseRelease)
    .option('--yes', 'change the database; without it, the migrations and the data that is lost are only listed', false)
    .action(async (options: RevertOptions) => {
      const { runOnSchema } = await import('./operator/run-on-database.ts')
      const { revertSchema } = await import('../schema/revert-schema.ts')
      const request = { to: options.to, isConfirmed: options.yes, actor: `local:${nameUser()}` }
      const source = { path: options.config, env: terminal.env }
      const report = await runOnSchema(source, (opened) => revertSchema(opened, request))
      print(terminal, { options, document: report, text: () => formatRevert(report) })
      if (report.migrations.length > 0 && !report.reverted) terminal.exitCode = exitCodes.failed
    })
}

function parseRelease(value: string): string {
  if (/^\d{1,6}(\.\d{1,6}){2}$/.test(value)) return value
  throw new InvalidArgumentError('Give a release such as 0.1.0.')
}

const migrationColumns: ItemColumns<DatabaseReport['migrations'][number]> = [
  { heading: 'MIGRATION', cell: ({ name }) => name },
  { heading: 'SINCE', cell: ({ since }) => since },
  { heading: 'STATE', cell: ({ state }) => state },
]

const replicaColumns: ItemColumns<DatabaseReport['replicas'][number]> = [
  { heading: 'REPLICA', cell: ({ name }) => name },
  { heading: 'RELEASE', cell: ({ release }) => release ?? '0.1.0' },
  { heading: 'SEEN', cell: ({ secondsSinceSeen }) => `${secondsSinceSeen} s ago` },
]

function formatDatabase({ database, release, migrations, replicas }: DatabaseReport, layout: Layout): string {
  return [
    `${database}, command line of release ${release}`,
    formatItems(migrations, { columns: migrationColumns, layout }),
    replicas.length === 0
      ? 'No replica has announced itself.'
      : formatItems(replicas, { columns: replicaColumns, layout }),
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
