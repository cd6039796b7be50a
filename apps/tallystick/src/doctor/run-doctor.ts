import type { X509Certificate } from 'node:crypto'
import { type Clock, toSeconds } from '@tallystick/base'
import { decodeNote, type Note, periodAfter, periodAt } from '@tallystick/core'
import { listSigners, type Signer } from '@tallystick/issuer'
import type { ChainConfig, Config, IssueReports } from '@tallystick/service'
import { checkChain } from './chain/check-chain.ts'
import { type RpcHead, readHeads } from './chain/read-heads.ts'
import { checkCertificate, checkServedCertificate } from './check-certificate.ts'
import { checkClock } from './check-clock.ts'
import { checkConfig } from './check-config.ts'
import { checkDatabase } from './check-database.ts'
import { checkFiles } from './check-files.ts'
import { checkJournal } from './check-journal.ts'
import { checkLog } from './check-log.ts'
import { checkProtection } from './check-protection.ts'
import { checkAudit, checkHooks, checkOffer } from './check-reports.ts'
import { checkService } from './check-service.ts'
import { checkSigner } from './check-signer.ts'
import { findService, type ServiceProbe } from './find-service.ts'
import { createFindings, type NamedFinding } from './findings.ts'
import { createRedactor } from './redact-secrets.ts'
import { runSubject, type StartSubject, type SubjectRun } from './run-subject.ts'
import { checkSubgraph } from './subgraph/check-subgraph.ts'
import { embeddedEndpoint, findMaturePositions, listRemoteEndpoints } from './subgraph/subgraph-endpoints.ts'

export type DoctorOptions = {
  readonly configPath: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Host names that clients use, which the certificate must have. */
  readonly hosts: readonly string[]
  readonly clock: Clock
  /** Called with the findings of each subject, in a fixed order. */
  readonly report: (findings: readonly NamedFinding[]) => void
}

export type Diagnosis = {
  readonly verdict: 'healthy' | 'failed' | 'misconfigured'
  readonly findings: readonly NamedFinding[]
}

/** Runs the checks of all subjects. A failure in one subject does not stop the others. */
export async function runDoctor(options: DoctorOptions): Promise<Diagnosis> {
  const { configPath, clock, env, hosts } = options
  const all: NamedFinding[] = []
  const report = (found: readonly NamedFinding[]) => {
    all.push(...found)
    options.report(found)
  }
  const hasFailed = () => all.some(({ severity }) => severity === 'fail')
  const findings = createFindings('config')
  const config = checkConfig(findings, { path: configPath, env })
  report(findings.list)
  if (!config) return { verdict: 'misconfigured', findings: all }
  const isMisconfigured = hasFailed()
  const service = await findService(config.admin, { clock, env })
  const subjects = startSubjects({ configPath, clock, hosts, config, service })
  for (const subject of subjects) report(await subject.findings)
  return { verdict: isMisconfigured ? 'misconfigured' : hasFailed() ? 'failed' : 'healthy', findings: all }
}

type SubjectsContext = Pick<DoctorOptions, 'configPath' | 'clock' | 'hosts'> & {
  readonly config: Config
  readonly service: ServiceProbe
}

/** Starts the checks of all subjects at once, and returns the subjects in the order of the report. */
function startSubjects(context: SubjectsContext): SubjectRun<unknown>[] {
  const { configPath, clock, hosts, config, service } = context
  const redact = createRedactor(config)
  const start: StartSubject = (subject, work) => runSubject(createFindings(subject, redact), work)
  const heads = new Map(config.chains.map((chain) => [chain.id, readHeads(chain)]))
  const isRunning = service.state === 'running'
  // Before the database: opening an embedded database changes its permissions.
  const files = start('files', (findings) => checkFiles(findings, { config, configPath }))
  const running = start('service', (findings) => checkService(findings, service))
  const database = start('database', (findings) => checkDatabase(findings, { config, service, clock }))
  const clocks = start('clock', async (findings) => {
    const known = await Promise.all([...heads].map(async ([id, chainHeads]) => [id, await chainHeads] as const))
    const databaseOffsetMs = (await database.result)?.offsetMs
    const { chains } = config
    checkClock(findings, { nowMs: clock.now(), service, databaseOffsetMs, chains, heads: new Map(known) })
  })
  const certificate = start('certificate', async (findings) => {
    const { listen } = config
    const leaf = checkCertificate(findings, { listen, hosts, nowMs: clock.now() })
    if (leaf && isRunning) await checkServedCertificate(findings, { listen, certificate: leaf })
    return leaf
  })
  const signers = startSigners(config, start)
  const journal = start('journal', async (findings) => {
    await checkJournal(findings, { path: config.signer.journal, isRunning })
    await checkProtection(findings, { config, isRunning })
  })
  const reports = readReports(context, database.result)
  const notes = start('notes', async (findings) => {
    const isEmpty = (await database.result)?.isEmpty === true
    const known = await Promise.all(config.chains.map(async ({ id }) => [id, (await signers.of(id))?.address] as const))
    const readiness = service.state === 'running' ? await service.readReadiness().catch(() => undefined) : undefined
    checkOffer(findings, {
      config,
      reports: await reports,
      isRunning,
      isEmpty,
      signers: new Map(known),
      readiness: readiness?.findings ?? [],
    })
  })
  const findUnread = async () => {
    if (isRunning) return 'the running service did not report it'
    return (await database.result)?.unread ?? 'the database cannot be read'
  }
  const log = start('log', async (findings) =>
    checkLog(findings, { config: config.log, report: (await reports)?.log, unread: await findUnread() }),
  )
  const audit = start('audit', async (findings) =>
    checkAudit(findings, { report: (await reports)?.audit, unread: await findUnread() }),
  )
  const hooks = start('webhooks', async (findings) => checkHooks(findings, await reports))
  const results = { certificate: certificate.result, signerOf: signers.of, reports, heads }
  const chains = config.chains.flatMap((chain) => startChainSubjects(context, { chain, start, results }))
  return [files, running, database, clocks, certificate, ...signers.runs, journal, log, audit, notes, hooks, ...chains]
}

/** Starts the checks of each different signer. */
function startSigners({ chains }: Config, start: StartSubject) {
  const uses = listSigners(chains)
  const runs = uses.map((use) => {
    const ids = use.chains.map(({ id }) => id)
    const subject = uses.length === 1 ? 'signer' : `signer ${ids.join(', ')}`
    return { ids, run: start(subject, (findings) => checkSigner(findings, use)) }
  })
  return {
    runs: runs.map(({ run }) => run),
    /** Resolves to the signer of a chain, or undefined if it cannot be used. */
    of: async (chainId: number) => runs.find(({ ids }) => ids.includes(chainId))?.run.result,
  }
}

type ChainSubjectsInput = {
  readonly chain: ChainConfig
  readonly start: StartSubject
  readonly results: {
    readonly heads: ReadonlyMap<number, Promise<readonly RpcHead[]>>
    readonly certificate: Promise<X509Certificate | undefined>
    readonly signerOf: (chainId: number) => Promise<Signer | undefined>
    readonly reports: Promise<IssueReports | undefined>
  }
}

function startChainSubjects(
  { config, service, clock }: SubjectsContext,
  { chain, start, results }: ChainSubjectsInput,
): SubjectRun<void>[] {
  const now = () => toSeconds(clock.now() + (service.state === 'running' ? service.offsetMs : 0))
  const current = periodAt(now())
  const { listen } = config
  const listEndpoints = (certificate: X509Certificate | undefined) => [
    ...(chain.subgraph?.embedded && listen.tls && listen.port > 0 && service.state === 'running'
      ? [embeddedEndpoint({ chain, listen, certificate })]
      : []),
    ...listRemoteEndpoints(chain),
  ]
  return [
    start(`chain ${chain.id}`, async (findings) =>
      checkChain(findings, {
        config,
        chain,
        tenors: chain.tenors,
        heads: (await results.heads.get(chain.id)) ?? [],
        signer: await results.signerOf(chain.id),
        notes: currentNotes(await results.reports, chain),
        findMature: async () => findMaturePositions(listEndpoints(await results.certificate), now()),
        coupons: couponsInForce(await results.reports, chain),
        nowSeconds: now(),
        periods: [current, periodAfter(current)],
      }),
    ),
    start(`subgraph ${chain.id}`, async (findings) =>
      checkSubgraph(findings, {
        chain,
        config,
        service,
        heads: (await results.heads.get(chain.id)) ?? [],
        certificate: await results.certificate,
        nowSeconds: now(),
      }),
    ),
  ]
}

/** Reads the reports from a running service, which may have the only connection to the database. */
async function readReports(
  { config, service }: SubjectsContext,
  database: Promise<{ readonly reports?: IssueReports | undefined } | undefined>,
): Promise<IssueReports | undefined> {
  if (service.state !== 'running') return (await database)?.reports
  try {
    return {
      notes: await service.get('/notes'),
      curve: await service.get('/curve'),
      log: config.log && (await service.get('/log')),
      audit: await service.get<IssueReports['audit']>('/audit/check').catch(() => undefined),
      hooks: await service.get('/hooks'),
    }
  } catch {
    return undefined
  }
}

function currentNotes(reports: IssueReports | undefined, { id }: ChainConfig): Note[] {
  const encoded = reports?.notes.chains.find(({ chainId }) => chainId === id)?.current.notes ?? []
  return encoded.map(({ tenorDays: _tenor, times: _times, ...note }) => decodeNote(note))
}

function couponsInForce(reports: IssueReports | undefined, { id }: ChainConfig): number[] {
  const { current, next } = reports?.curve.chains.find(({ chainId }) => chainId === id) ?? {}
  return [current, next].flatMap((inForce) => Object.values(inForce?.curve?.points ?? {}))
}
