export { backoffMs } from './backoff-ms.ts'
export { formatCsv } from './format-csv.ts'
export { readChunks } from './read-chunks.ts'
export { redact } from './redact.ts'
