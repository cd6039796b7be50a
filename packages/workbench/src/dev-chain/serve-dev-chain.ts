import { parseArgs } from 'node:util'
import type { DevChainHandler } from './create-dev-chain.ts'
import { JournalError } from './journal.ts'
import { openDevChain } from './open-dev-chain.ts'
import { serveRpc } from './serve-rpc.ts'
import { journalExitCode, type ServerMessage } from './start-dev-chain.ts'

/** Runs the process of a development chain. It reports progress to its parent and exits when its standard input closes. */
async function serve(): Promise<void> {
  const { values } = parseArgs({
    options: {
      'chain-id': { type: 'string' },
      port: { type: 'string', default: '0' },
      timestamp: { type: 'string' },
      'gas-limit': { type: 'string', default: '30000000' },
      journal: { type: 'string' },
    },
  })
  const { chain, close } = await openDevChain({
    chainId: Number(values['chain-id']),
    timestamp: values.timestamp === undefined ? undefined : Number(values.timestamp),
    blockGasLimit: BigInt(values['gas-limit']),
    journalPath: values.journal,
    systemNowMs: Date.now,
    onProgress: (progress) => sendToParent({ progress }),
  })
  const { url } = await serveRpc(chain, Number(values.port))
  tickEverySecond(chain)
  process.stdin.resume().once('end', () => {
    close()
    process.exit(0)
  })
  sendToParent({ url })
}

/** Ticks at the start of each second of the system clock. */
function tickEverySecond(chain: DevChainHandler): void {
  const again = () => setTimeout(next, 1_000 - (Date.now() % 1_000))
  const next = () => {
    chain.tick().catch(fail)
    again()
  }
  again()
}

function sendToParent(message: ServerMessage): void {
  process.stdout.write(`${JSON.stringify(message)}\n`)
}

function fail(error: unknown): never {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(error instanceof JournalError ? journalExitCode : 1)
}

// The parent decides when this process exits, even if a terminal sends Ctrl-C to all processes.
for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined)
await serve().catch(fail)
