import { randomInt } from 'node:crypto'
import { parseOptions, type SoakOptions, usage } from './options.ts'
import { encodeReport, formatReport } from './report.ts'
import { soak } from './soak.ts'
import { soakUpgrade } from './upgrade/soak-upgrade.ts'
import { encodeUpgrade, formatUpgrade } from './upgrade/upgrade-record.ts'

// Processes that have not ended by then end with this process.
const undoMs = 40_000

async function run({ minutes, seed, alerts, json, upgradeFrom }: SoakOptions): Promise<number> {
  const undos: (() => unknown)[] = []
  let isStopped = false
  const undoAll = async () => {
    isStopped = true
    for (const undo of undos.splice(0).reverse()) await (async () => undo())().catch(printError)
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (isStopped) process.exit(1)
      say(`${signal}: shutting down (repeat to exit immediately)`)
      void undoAll().finally(() => process.exit(1))
    })
  }
  process.on('uncaughtException', (error) => {
    printError(error)
    void undoAll().finally(() => process.exit(1))
  })
  try {
    const defer = (undo: () => unknown) => undos.push(undo)
    const { tally, text, document } = await (async () => {
      if (upgradeFrom !== undefined) {
        const report = await soakUpgrade({ ref: upgradeFrom, seed, say, defer })
        return { tally: report.tally, text: formatUpgrade(report), document: encodeUpgrade(report) }
      }
      const report = await soak({ minutes, seed, alerts, say, defer, isStopped: () => isStopped })
      return { tally: report.tally, text: formatReport(report), document: encodeReport(report) }
    })()
    process.stdout.write(json ? `${JSON.stringify(document, undefined, 2)}\n` : `\n${text}\n`)
    return tally.violations.length === 0 ? 0 : 1
  } finally {
    setTimeout(() => process.exit(1), undoMs).unref()
    await undoAll()
  }
}

/** Writes a line to stderr. stdout is for the report. */
function say(line: string): void {
  process.stderr.write(`${line}\n`)
}

function printError(error: unknown): void {
  say(error instanceof Error ? error.message : String(error))
}

try {
  const options = parseOptions(process.argv.slice(2), () => randomInt(1_000_000))
  if (options.help) process.stdout.write(usage)
  process.exit(options.help ? 0 : await run(options))
} catch (error) {
  printError(error)
  process.exit(1)
}
