import { webAssembly } from './web-assembly.ts'

/** Failure of a handler that graph-node treats as one of the mapping: the subgraph stops before the block. */
export class MappingError extends Error {
  override name = 'MappingError' as const
}

/** Whether an error is a failure of the mapping: one that the host raised, or a trap of the module. */
export function isMappingFailure(error: unknown): error is Error {
  return error instanceof MappingError || error instanceof webAssembly.RuntimeError
}
