import { type MetricHelp, type Metrics, repeat, type Time } from '@tallystick/base'
import type { Database } from '@tallystick/database'
import { createMerkleTree, encodeBase64, rootOf } from '@tallystick/tlog'
import type { Logger } from 'pino'
import { auditHeadPath, readAuditHead, writeAuditHead } from './audit-head.ts'
import { findHeadFault, readLeaves } from './check-audit.ts'

export const auditMetricHelp: MetricHelp = {
  tallystick_audit_problem: 'ALARM: 1 if rows of the audit were changed or deleted, or its hashes were replaced.',
}

const intervalMs = 60_000

type WatchParts = {
  readonly database: Database
  readonly config: { readonly signer: { readonly journal: string } }
  readonly time: Time
  readonly metrics: Metrics
  readonly log: Logger
}

/**
 * Notes the head of the audit in a file every minute and at the end, so that rows that are deleted from the end with their
 * hashes are found. A head that the database contradicts is kept. Each look reads the new rows only.
 */
export function watchAudit({ database, config, time, metrics, log }: WatchParts): { stop(): Promise<void> } {
  const path = auditHeadPath(config)
  const tree = createMerkleTree()
  const faults: string[] = []
  metrics.gauge('tallystick_audit_problem', () => [{ value: faults.length > 0 ? 1 : 0 }])
  const look = async () => {
    const head = await readAuditHead(path)
    const found = await readLeaves(database, tree)
    const headFault = head && findHeadFault(tree, { head, path })
    const added = [...(headFault ? [headFault] : []), ...found].filter((fault) => !faults.includes(fault))
    faults.push(...added.slice(0, 10))
    for (const fault of added) log.error({ fault }, 'the audit was altered')
    if (headFault || tree.size === (head?.size ?? 0)) return
    await writeAuditHead(path, { size: tree.size, root: encodeBase64(rootOf(tree.size, tree.readNode)) })
  }
  let last: Promise<void> = Promise.resolve()
  const run = () => {
    last = last.then(look).catch((error) => log.warn({ err: error }, 'recording the head of the audit failed'))
    return last
  }
  void run()
  const timer = repeat(time, { name: 'check of the audit', ms: intervalMs }, run)
  return {
    stop: () => {
      timer.stop()
      return run()
    },
  }
}
