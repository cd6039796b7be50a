import type { Subgraph } from '../src/index.ts'

export function readTallyError(subgraph: Pick<Subgraph, 'execute'>): Promise<number>
