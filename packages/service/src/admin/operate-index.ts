import type { Auditor } from '@tallystick/database'
import { z } from 'zod'
import type { IndexJobs } from '../reindex/index-jobs.ts'
import { parseRequest } from './parse-request.ts'

export type IndexOperator = ReturnType<typeof createIndexOperator>

// Block numbers are 32-bit integers in the index.
const blockMax = 2 ** 31 - 2
const checkSchema = z.strictObject({ chainId: z.int() })
const rebuildSchema = z.strictObject({ chainId: z.int(), from: z.int().min(0).max(blockMax).optional() })

export function createIndexOperator(jobs: IndexJobs, auditor: Auditor) {
  return {
    showIndex: async () => jobs.report(),
    /** Starts to index a chain again. `showIndex` shows the progress. */
    rebuildIndex: async (request: unknown) => ({
      job: jobs.rebuild(parseRequest(rebuildSchema, request, 'invalid_parameter'), auditor),
    }),
    /** Starts to compare an index with its chain. `showIndex` shows the progress and the result. */
    checkIndex: async (request: unknown) => ({
      job: jobs.check(parseRequest(checkSchema, request, 'invalid_parameter')),
    }),
  }
}
