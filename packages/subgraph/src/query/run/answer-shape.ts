import type { StopSignal } from '@tallystick/core/signal/create-abort'
import { type BlockRow, toBlock } from '../../store/read-block.ts'
import { answerMeta } from '../answer/answer-meta.ts'
import type { Answer, QueryEngineOptions } from '../create-query-engine.ts'
import type { Values } from '../request/coerce-arguments.ts'
import { startDeadline } from '../request/start-deadline.ts'
import type { Shape } from '../sql/shape.ts'
import { fillSlots } from '../sql/statement.ts'
import { notStarted } from './answer-in-one.ts'

/** Answers a query of a known shape in one round trip; what the database wrote is passed on as it is. */
export async function answerShape(
  { store, deployment, timeoutMs }: QueryEngineOptions,
  {
    shape,
    variables,
    signal,
  }: { readonly shape: Shape; readonly variables: Values; readonly signal: StopSignal | undefined },
): Promise<Answer> {
  const { context, key, statement, metas, typenameKeys } = shape
  const parameters = fillSlots(statement.parameters, variables)
  const deadline = startDeadline(timeoutMs, signal)
  try {
    const options = { signal: deadline.signal, isFrequent: true }
    const [row] = await store.database.read<BlockRow & { json: string | null }>(statement.text, parameters, options)
    if (!row) throw notStarted(deployment)
    const head = toBlock(row)
    const resolved = { visibility: { kind: 'head' }, number: head.number, block: head } as const
    // Each answer has the whole of what is left for it: the shape is everybody's.
    const selection = { ...context, budget: { ...context.budget } }
    const members = [
      `"${key}":${row.json ?? statement.ifNothing}`,
      ...metas.map((meta) => {
        const answer = answerMeta(selection, { nodes: meta.nodes, resolved, deployment })
        return `"${meta.key}":${JSON.stringify(answer)}`
      }),
      ...typenameKeys.map((typenameKey) => `"${typenameKey}":"Query"`),
    ]
    return { data: `{${members.join(',')}}`, errors: undefined, head }
  } finally {
    deadline.stop()
  }
}
