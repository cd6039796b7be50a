import { createRpcEndpoint, type RpcEndpoint } from '@tallystick/chain'
import { openDatabase } from '@tallystick/database'
import { readReference } from '@tallystick/service'
import type { Answers } from './questions.ts'

export type ProbeContext = {
  readonly answers: Answers
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** Tells the user what is being done, and what could not be found out. */
  readonly say: (text: string) => void
}

type Probe = (value: string, context: ProbeContext) => Promise<string | undefined>

// Longer than a provider takes for its first answer.
const timeoutMs = 5_000
const answerBytesMax = 16_777_216

/**
 * Asks the RPC or the database of an answer. Returns what is wrong with the answer, or undefined. A server that does not
 * answer is no fault: it may be out of reach from here, or not be there yet.
 */
export async function probeAnswer(name: string, value: string, context: ProbeContext): Promise<string | undefined> {
  return value === '' ? undefined : probes[name]?.(value, context)
}

const probes: Readonly<Record<string, Probe>> = {
  rpc: async (reference, context) => {
    const { chain = '', pool = '' } = context.answers
    return askRpc(reference, context, async (endpoint) => {
      const found = Number(await endpoint.call({ method: 'eth_chainId', params: [] }))
      if (String(found) !== chain) return `is an RPC of chain ${found}, not of ${chain}`
      if (await isContract(endpoint, pool)) context.say(`The RPC serves chain ${chain}, and the pool is on it.`)
      else context.say(`The RPC serves chain ${chain}, but it has no contract at the pool ${pool}. Check that address.`)
      return undefined
    })
  },
  positions: async (address, context) =>
    askRpc(context.answers['rpc'] ?? '', context, async (endpoint) =>
      (await isContract(endpoint, address)) ? undefined : 'is no contract on this chain',
    ),
  database: async (reference, { env, cwd, say }) => {
    const url = readReference(reference, { env, baseDirectory: cwd })?.value ?? reference
    if (!/^postgres(ql)?:/.test(url)) return undefined
    say('Connecting to the database…')
    try {
      const database = await openDatabase(url)
      await database.close()
      say(`${database.label} accepts this user.`)
    } catch (error) {
      say(`${(error as Error).message} The answer is kept.`)
    }
    return undefined
  },
}

async function isContract(endpoint: RpcEndpoint, address: string): Promise<boolean> {
  return (await endpoint.call({ method: 'eth_getCode', params: [address, 'latest'] })) !== '0x'
}

async function askRpc(
  reference: string,
  { env, cwd, say }: ProbeContext,
  ask: (endpoint: RpcEndpoint) => Promise<string | undefined>,
): Promise<string | undefined> {
  const url = readReference(reference, { env, baseDirectory: cwd })?.value ?? reference
  if (!/^https?:/i.test(url)) return undefined
  const signal = AbortSignal.timeout(timeoutMs)
  const endpoint = createRpcEndpoint({ url, timeoutMs, answerBytesMax, signal })
  say(`Asking ${endpoint.label}…`)
  try {
    return await ask(endpoint)
  } catch (error) {
    const problem = signal.aborted ? `does not answer within ${timeoutMs / 1000} s` : (error as Error).message
    say(`${endpoint.label} ${problem}. The answer is kept.`)
    return undefined
  }
}
