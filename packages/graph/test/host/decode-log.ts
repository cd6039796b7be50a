import { type AbiEvent, type AbiParameter, decodeAbiParameters, type Hex } from 'viem'

export type EventArgument = { readonly parameter: AbiParameter; readonly value: unknown }

type LogContent = { readonly topics: readonly string[]; readonly data: string }

/**
 * Decodes a log by an event's ABI, or returns undefined if it does not fit. graph-node then skips the handler. It requires
 * one topic per indexed parameter and every word of the others, and ignores bytes behind them.
 */
export function decodeLog(event: AbiEvent, { topics, data }: LogContent): readonly EventArgument[] | undefined {
  const indexed = event.inputs.filter((input) => input.indexed)
  const others = event.inputs.filter((input) => !input.indexed)
  if (topics.length !== indexed.length + 1) return undefined
  try {
    const fromTopics = topics.slice(1).map((topic, index) => decodeAbiParameters([indexed[index]!], topic as Hex)[0])
    const fromData = others.length === 0 ? [] : decodeAbiParameters(others, data as Hex)
    return event.inputs.map((parameter) => ({
      parameter,
      value: parameter.indexed ? fromTopics[indexed.indexOf(parameter)] : fromData[others.indexOf(parameter)],
    }))
  } catch {
    return undefined
  }
}
