import { ChainError, RpcError } from '@tallystick/chain'
import { decodeNote, type Note, periodAfter, periodAt, TallystickError } from '@tallystick/core'
import { type Clock, toSeconds } from '../clock.ts'
import type { ChainConfig, Config } from '../config.ts'
import { checkCertificate } from './check-certificate.ts'
import { checkChain } from './check-chain.ts'
import { checkClock } from './check-clock.ts'
import { checkConfig } from './check-config.ts'
import { checkDatabase, type IssueReports } from './check-database.ts'
import { checkFiles } from './check-files.ts'
import { checkJournal } from './check-journal.ts'
import { checkNotes } from './check-notes.ts'
import { checkServedCertificate } from './check-served-certificate.ts'
import { checkService } from './check-service.ts'
import { checkSigner } from './check-signer.ts'
import { checkSubgraph } from './check-subgraph.ts'
import { findService, type ServiceProbe } from './find-service.ts'
import { type Check, createFindings, type Findings } from './findings.ts'
import { readHeads } from './read-heads.ts'
import { createRedactor } from './redact-secrets.ts'

export type DoctorOptions = {
  readonly configPath: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Names clients use, to be looked for in the certificate. */
  readonly hosts: readonly string[]
  readonly clock: Clock
  /** Called with the checks of each subject as soon as it is their turn to be read. */
  readonly report: (checks: readonly Check[]) => void
}

export type Diagnosis = { readonly verdict: 'well' | 'broken' | 'misconfigured'; readonly checks: readonly Check[] }

// Each wait inside has a limit of its own; this is for what nobody thought of.
const subjectTimeoutMs = 30_000

/** Looks at everything a service needs. No check hides another: each subject is examined whatever became of the others. */
export async function runDoctor(options: DoctorOptions): Promise<Diagnosis> {
  const { clock, report } = options
  const checks: Check[] = []
  const tell = (some: readonly Check[]) => {
    checks.push(...some)
    report(some)
  }
  const findings = createFindings('config')
  const config = checkConfig(findings, { path: options.configPath, env: options.env })
  tell(findings.checks)
  const isMisconfigured = findings.checks.some(({ outcome }) => outcome === 'fail')
  if (!config) return { verdict: 'misconfigured', checks }
  const service = await findService(config.admin, { clock, env: options.env })
  for (const examination of startExaminations(options, { config, service })) tell(await examination)
  const isBroken = checks.some(({ outcome }) => outcome === 'fail')
  return { verdict: isMisconfigured ? 'misconfigured' : isBroken ? 'broken' : 'well', checks }
}

/** Starts every examination at once; they are in the order in which a person would go through them. */
function startExaminations(
  { configPath, clock, hosts }: DoctorOptions,
  { config, service }: { readonly config: Config; readonly service: ServiceProbe },
): Promise<readonly Check[]>[] {
  const redact = createRedactor(config)
  const start = <Result>(subject: string, work: (findings: Findings) => Result | Promise<Result>) =>
    examine(createFindings(subject, redact), work)
  const now = () => clock.now() + (service.state === 'running' ? service.offsetMs : 0)
  const heads = new Map(config.chains.map((chain) => [chain.id, readHeads(chain)]))
  // Before the database: an embedded one that is opened is closed to other users.
  const files = start('files', (findings) => checkFiles(findings, { config, configPath }))
  const running = start('service', (findings) => checkService(findings, service))
  const database = start('database', (findings) => checkDatabase(findings, { config, service, clock }))
  const clocks = start('clock', async (findings) => {
    const known = await Promise.all([...heads].map(async ([id, some]) => [id, await some] as const))
    const databaseOffsetMs = (await database.result)?.offsetMs
    checkClock(findings, {
      nowMs: clock.now(),
      service,
      databaseOffsetMs,
      chains: config.chains,
      heads: new Map(known),
    })
  })
  const certificate = start('certificate', async (findings) => {
    const { listen } = config
    const leaf = checkCertificate(findings, { listen, hosts, nowMs: clock.now() })
    if (leaf && service.state === 'running') await checkServedCertificate(findings, { listen, certificate: leaf })
    return leaf
  })
  const signer = start('signer', (findings) => checkSigner(findings, config))
  const journal = start('journal', (findings) =>
    checkJournal(findings, { path: config.signer.journal, isRunning: service.state === 'running' }),
  )
  const reports = readReports(service, database.result)
  const notes = start('notes', async (findings) => {
    const address = (await signer.result)?.address
    const isEmpty = (await database.result)?.isEmpty === true
    const isRunning = service.state === 'running'
    checkNotes(findings, { config, reports: await reports, isRunning, isEmpty, signer: address })
  })
  const chains = config.chains.flatMap((chain) => {
    const current = periodAt(toSeconds(now()))
    const readContext = async () => {
      const known = (await heads.get(chain.id)) ?? []
      return { chain, config, service, heads: known, nowSeconds: toSeconds(now()) }
    }
    const own = start(`chain ${chain.id}`, async (findings) => {
      const notes = { signer: await signer.result, notes: offeredNotes(await reports, chain) }
      const periods = [current, periodAfter(current)]
      return checkChain(findings, { ...(await readContext()), ...notes, tenors: config.tenors, periods })
    })
    const subgraph = start(`subgraph ${chain.id}`, async (findings) =>
      checkSubgraph(findings, { ...(await readContext()), certificate: await certificate.result }),
    )
    return [own, subgraph]
  })
  return [files, running, database, clocks, certificate, signer, journal, notes, ...chains].map(({ checks }) => checks)
}

/** From the service where one runs: it may have the database to itself. */
async function readReports(
  service: ServiceProbe,
  database: Promise<{ readonly reports?: IssueReports | undefined } | undefined>,
): Promise<IssueReports | undefined> {
  if (service.state !== 'running') return (await database)?.reports
  try {
    return { notes: await service.get('/notes'), curve: await service.get('/curve') }
  } catch {
    return undefined
  }
}

function offeredNotes(reports: IssueReports | undefined, { id }: ChainConfig): Note[] {
  const wires = reports?.notes.chains.find(({ chainId }) => chainId === id)?.current.notes ?? []
  return wires.map(({ tenorDays: _, ...wire }) => decodeNote(wire))
}

type Examination<Result> = { readonly checks: Promise<readonly Check[]>; readonly result: Promise<Result | undefined> }

/** What is thrown or hangs becomes a line like any other; what was found before it stays. */
function examine<Result>(
  findings: Findings,
  work: (findings: Findings) => Result | Promise<Result>,
): Examination<Result> {
  const result = (async () => {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(
        () => reject(new CheckTimeoutError(`gave no answer within ${subjectTimeoutMs / 1000} s`)),
        subjectTimeoutMs,
      )
    })
    try {
      return await Promise.race([Promise.resolve(work(findings)), late])
    } catch (error) {
      findings.fail('examination', explain(error), 'The checks of this subject that are not listed were not made.')
      return undefined
    } finally {
      clearTimeout(timer)
    }
  })()
  return { result, checks: result.then(() => findings.checks) }
}

function explain(error: unknown): string {
  if (error instanceof TallystickError || error instanceof ChainError || error instanceof RpcError) return error.message
  if (error instanceof CheckTimeoutError) return error.message
  return `it ended with an error: ${error instanceof Error ? error.message : String(error)}`
}

class CheckTimeoutError extends Error {
  override readonly name = 'CheckTimeoutError' as const
}
