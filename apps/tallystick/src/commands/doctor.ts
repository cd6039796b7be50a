import { systemTime } from '@tallystick/base'
import type { Command } from 'commander'
import { formatFindings, summarise } from './format-findings.ts'
import { addCommonOptions, addExamples, type CommonOptions, parseList } from './options.ts'
import { createOutput, exitCodes } from './terminal/output.ts'
import type { Terminal } from './terminal/terminal.ts'

const codeOf = { healthy: exitCodes.done, failed: exitCodes.failed, misconfigured: exitCodes.config } as const

export function addDoctorCommand(program: Command, terminal: Terminal): void {
  const doctor = addCommonOptions(
    program
      .command('doctor')
      .description('check configuration, database, clock, certificate, signer, chains and subgraphs; changes nothing'),
  )
    .option(
      '--host <names>',
      'host names that clients use, comma separated, to check against the certificate',
      parseList,
      [],
    )
    .action(async ({ host, ...options }: CommonOptions & { readonly host: string[] }) => {
      const { runDoctor } = await import('../doctor/run-doctor.ts')
      const output = createOutput(terminal, options)
      const { verdict, findings } = await runDoctor({
        configPath: options.config,
        env: terminal.env,
        hosts: host,
        clock: systemTime,
        report: (some) => {
          if (some.length > 0) output.text(formatFindings(some, output.layout))
        },
      })
      output.document({ ok: verdict === 'healthy', findings })
      output.text(`\n${summarise(findings)}`)
      terminal.exitCode = codeOf[verdict]
    })
  addExamples(doctor, 'doctor', 'doctor --host api.example,notes.example')
}
