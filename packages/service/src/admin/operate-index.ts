import type { Auditor } from '@tallystick/database'
import { z } from 'zod'
import type { IndexJob, IndexReport } from '../reindex/index-job.ts'
import type { IndexJobs } from '../reindex/index-jobs.ts'
import { parseRequest } from './parse-request.ts'

export type IndexOperator = {
  showIndex(): Promise<IndexReport>
  /** Starts to index a chain again. `showIndex` shows the progress. */
  rebuildIndex(request: unknown): Promise<{ readonly job: IndexJob }>
  /** Starts to compare an index with its chain. `showIndex` shows the progress and the result. */
  checkIndex(request: unknown): Promise<{ readonly job: IndexJob }>
}

// Block numbers are 32-bit integers in the index.
const blockMax = 2 ** 31 - 2
const checkSchema = z.strictObject({ chainId: z.int() })
const rebuildSchema = z.strictObject({ chainId: z.int(), from: z.int().min(0).max(blockMax).optional() })

export function createIndexOperator({
  jobs,
  auditor,
}: {
  readonly jobs: IndexJobs
  readonly auditor: Auditor
}): IndexOperator {
  return {
    showIndex: async () => jobs.report(),
    rebuildIndex: async (request) => ({
      job: jobs.rebuild(parseRequest(rebuildSchema, request, 'invalid_parameter'), auditor),
    }),
    checkIndex: async (request) => ({ job: jobs.check(parseRequest(checkSchema, request, 'invalid_parameter')) }),
  }
}
