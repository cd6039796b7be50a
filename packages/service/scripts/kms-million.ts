import { randomBytes } from 'node:crypto'
import { privateKeyToAddress } from 'viem/accounts'
import { openChainRecover } from '../test/kms/chain-recover.ts'
import { checkConversions } from '../test/kms/check-conversions.ts'
import { listMultiples, order, signRandomDigests, toBigInt, toBytes } from '../test/kms/random-signatures.ts'

// `npm run kms-million -- [count]`: the property test of the conversion, over a million random digests by default.
const count = Number(process.argv[2] ?? 1_000_000)
const batchSize = 2_000
// A key signs this many batches.
const batchesPerKey = 10
const progressBatches = 50

const startedMs = performance.now()
const recover = await openChainRecover()
const multiples = listMultiples(batchSize)
let privateKey = 0n
let checked = 0
let [oddParities, keys] = [0, 0]
for (let batch = 0; checked < count; batch++) {
  if (batch % batchesPerKey === 0) {
    privateKey = (toBigInt(randomBytes(32)) % (order - 1n)) + 1n
    keys++
  }
  const address = privateKeyToAddress(`0x${toBytes(privateKey).toString('hex')}`)
  const signatures = signRandomDigests(privateKey, multiples.slice(0, Math.min(batchSize, count - checked)))
  await checkConversions(signatures, { address, recover })
  checked += signatures.length
  oddParities += signatures.filter(({ v }) => v === 28).length
  if ((batch + 1) % progressBatches === 0) process.stderr.write(`${checked} digests\n`)
}
const { user, system } = process.cpuUsage()
process.stdout.write(
  `${checked} random digests of ${keys} keys, each converted with low and high s: r, s and v are right, and ecrecover ` +
    `returns the address. ${oddParities} have v 28. ${((performance.now() - startedMs) / 1000).toFixed(0)} s, ` +
    `${((user + system) / 1_000_000).toFixed(0)} s of processor time.\n`,
)
process.exit(0)
