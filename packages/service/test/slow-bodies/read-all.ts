// Runs with --expose-gc: reads slow bodies in every way the service has, while garbage is collected all the time. Prints
// the outcomes as one line of JSON, and exits when its standard input ends.
import { systemTime } from '@tallystick/base'
import { createRpcEndpoint } from '@tallystick/chain'
import { createSender as createQuerySender } from '@tallystick/gateway'
import { createWeb3Signer, fetchDocument, loadAwsSdk, openAwsKmsSigner, sendGcpRequest } from '@tallystick/issuer'
import { createLogSource } from '@tallystick/monitor'
import { createAddressPolicy, createSender } from '@tallystick/notify'
import { keyArn } from '../kms/fake-aws-kms.ts'

const timeoutMs = 1_000
const { signal } = new AbortController()
// Loaded first: importing it would use up the time of the others.
await loadAwsSdk()

/** Ways to read a body below a URL. */
const listReaders = (url: string): Readonly<Record<string, () => Promise<unknown>>> => ({
  rpc: () => {
    const endpoint = createRpcEndpoint({ url: `${url}/rpc`, timeoutMs, answerBytesMax: 1_000_000, signal })
    return endpoint.call({ method: 'eth_chainId', params: [] })
  },
  subgraph: async () => {
    const options = { url: `${url}/subgraph`, headers: {}, answerBytesMax: 1_000_000, time: systemTime }
    const query = { body: Buffer.from('{}'), headAlias: 'a', isUrgent: false, operationName: undefined }
    const call = createQuerySender(options).begin(query)
    setTimeout(() => call.end('slow'), timeoutMs)
    const outcome = await call.outcome
    if (outcome.kind === 'failed') throw outcome.error
  },
  treasury: () => {
    const source = { name: 'feed', setting: 'url', accept: '*/*', bytesMax: 1_000_000 }
    return fetchDocument(new URL(`${url}/treasury`), { source, timeoutMs, signal })
  },
  web3signer: () => {
    const address = `0x${'1'.repeat(40)}` as const
    const signer = createWeb3Signer({ url: `${url}/web3signer`, address, timeoutMs })
    const terms = { chainId: 1, maturityTimestamp: 1n, coupon: 1n, validAfter: 1n, validBefore: 1n }
    return signer.sign(terms, { name: 'a', version: '1', verifyingContract: address })
  },
  gcp: () => sendGcpRequest({ name: 'Google', url: `${url}/gcp`, timeoutMs }),
  aws: () => openAwsKmsSigner({ keyId: keyArn, endpoint: url, timeoutMs }),
  webhook: () => {
    const sender = createSender({ policy: createAddressPolicy({ allowPrivate: ['127.0.0.1'] }), timeoutMs })
    return sender.post({ url: `${url}/webhook`, headers: {}, body: Buffer.from('{}'), signal })
  },
  monitor: () =>
    createLogSource({ url: `${url}/log`, signal, pause: async () => {}, timeoutMs }).read('checkpoint', 1_000),
})

setInterval(() => globalThis.gc?.(), 100)
const describeRead = async (read: () => Promise<unknown>) =>
  read().then(
    () => 'done',
    (error) => (error as Error).message,
  )
// An abort is not lost every time.
const repeats = 5
const outcomes = process.argv.slice(2).map(async (url) => {
  const readers = Object.entries(listReaders(url)).map(async ([name, read]) => {
    const results = await Promise.all(Array.from({ length: repeats }, () => describeRead(read)))
    return [name, [...new Set(results)].join()] as const
  })
  return Object.fromEntries(await Promise.all(readers))
})
process.stdout.write(`${JSON.stringify(await Promise.all(outcomes))}\n`)
process.stdin.on('end', () => process.exit()).resume()
