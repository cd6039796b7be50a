import { randomUUID } from 'node:crypto'
import type { Clock } from '@tallystick/base'
import { TallystickError } from '@tallystick/core'
import type { Auditor } from '@tallystick/database'
import { refusal } from '@tallystick/http'
import type { FollowerLog } from '@tallystick/subgraph'
import type { Logger } from 'pino'
import type { ChainConfig, Config } from '../config/config.ts'
import type { IndexJob, IndexReport, JobContext } from './index-job.ts'
import { runCheck } from './run-check.ts'
import { runRebuild } from './run-rebuild.ts'

type IndexJobsOptions = Pick<JobContext, 'database' | 'time' | 'onReplaced'> & {
  readonly config: Pick<Config, 'chains' | 'database'>
  readonly clock: Clock
  readonly runsIn: IndexReport['runsIn']
  readonly log?: Logger | undefined
}

export type IndexJobs = {
  report(): IndexReport
  /** Starts to index a chain again. Throws if a job of the chain runs. */
  rebuild(request: { readonly chainId: number; readonly from?: number | undefined }, auditor: Auditor): IndexJob
  /** Starts to compare the index of a chain with the chain. Throws if a job of the chain runs. */
  check(request: { readonly chainId: number }): IndexJob
  /** Aborts the jobs and waits for their end. */
  stop(): Promise<void>
}

type IndexedChain = JobContext['chain']

/** Creates the jobs on embedded indexes: one at a time per chain. */
export function createIndexJobs(options: IndexJobsOptions): IndexJobs {
  const { config, database, clock, runsIn, time, onReplaced } = options
  const chains = config.chains.filter(isIndexed)
  const jobs = new Map<number, IndexJob>()
  const running = new Map<number, Promise<void>>()
  const controller = new AbortController()

  const start = (job: Pick<IndexJob, 'kind' | 'chainId' | 'from'>, work: (context: JobContext) => Promise<void>) => {
    const { chainId } = job
    const chain = getChain(config, chainId)
    const current = jobs.get(chainId)
    if (current && running.has(chainId)) throw alreadyRunning(current)
    const started = newJob(job, clock)
    const update = (change: Partial<IndexJob>) => {
      jobs.set(chainId, { ...(jobs.get(chainId) ?? started), ...change })
    }
    jobs.set(chainId, started)
    const log: FollowerLog = options.log?.child({ chain: chainId, job: job.kind }) ?? silent
    const { signal } = controller
    const finished = work({ chain, config, database, log, signal, time, onReplaced, update }).then(
      () => update({ state: 'done', problem: null, finishedAt: nowOf(clock) }),
      (error) => {
        const problem = error instanceof Error ? error.message : String(error)
        if (!signal.aborted) log.error({ err: error, problem }, `${job.kind} of the index failed`)
        update({ state: 'failed', problem, finishedAt: nowOf(clock) })
      },
    )
    running.set(
      chainId,
      finished.finally(() => running.delete(chainId)),
    )
    return started
  }

  return {
    report: () => ({ runsIn, chains: chains.map(({ id }) => ({ chainId: id, job: jobs.get(id) ?? null })) }),
    rebuild: ({ chainId, from }, auditor) => {
      const first = from ?? getChain(config, chainId).subgraph.embedded.startBlock
      return start({ kind: 'rebuild', chainId, from: first }, (context) =>
        runRebuild(context, { from: first, auditor }),
      )
    },
    check: ({ chainId }) => start({ kind: 'check', chainId, from: null }, runCheck),
    stop: async () => {
      controller.abort(new Error('The process that it ran in has stopped.'))
      await Promise.all(running.values())
    },
  }
}

function newJob({ kind, chainId, from }: Pick<IndexJob, 'kind' | 'chainId' | 'from'>, clock: Clock): IndexJob {
  const startedAt = nowOf(clock)
  const step = kind === 'rebuild' ? 'indexing' : 'checking'
  return { id: randomUUID(), kind, chainId, from, state: 'running', startedAt, finishedAt: null, step, ...noProgress }
}

const noProgress = { block: null, chainHead: null, compared: null, of: null, problem: null, check: null } as const

function nowOf(clock: Clock): string {
  return new Date(clock.now()).toISOString()
}

function isIndexed(chain: ChainConfig): chain is IndexedChain {
  return chain.subgraph?.embedded !== undefined
}

function getChain({ chains }: Pick<Config, 'chains'>, chainId: number): IndexedChain {
  const chain = chains.find(({ id }) => id === chainId)
  if (chain && isIndexed(chain)) return chain
  const indexed = chains.filter(isIndexed).map(({ id }) => id)
  const others = indexed.length === 0 ? 'No chain has one.' : `Chains with one: ${indexed.join(', ')}.`
  const message = chain
    ? `Chain ${chainId} has no embedded index. ${others}`
    : `The configuration has no chain ${chainId}. It has ${chains.map(({ id }) => id).join(', ')}.`
  throw refusal('invalid_parameter', message)
}

function alreadyRunning({ kind, chainId, startedAt, step, block, chainHead }: IndexJob): TallystickError {
  const place = block === null ? '' : ` at block ${block} of ${chainHead ?? 'unknown'}`
  return new TallystickError({
    code: 'index_job_running',
    message: `A ${kind} of the index of chain ${chainId} runs since ${startedAt} (${step}${place}). Wait for its end. \`tallystick index show\` shows it.`,
    retryable: true,
  })
}

const silent: FollowerLog = { info: () => undefined, warn: () => undefined, error: () => undefined }
