import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dollarTokenAbi, poolAbi } from '@tallystick/contracts'
import { decodeNote, type Note, notesResponseSchema } from '@tallystick/core'
import { sendRequest } from '@tallystick/workbench/send-request'
import { createPublicClient, createWalletClient, defineChain, http, publicActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { Credentials } from '../../../test/set-up/start-sandbox.ts'
import { dollars, noPartner } from './chain.ts'

/** Returns the credentials with one chain only, for the functions below that use the first. */
export function onChain(credentials: Credentials, id: number): Credentials {
  const chain = credentials.chains.find((candidate) => candidate.id === id)
  if (!chain) throw new Error(`The sandbox has no chain ${id}.`)
  return { ...credentials, chains: [chain] }
}

/** A reader of the sandbox's chain. */
export function readChain({ chains: [{ id, rpcUrl }] }: Credentials) {
  const transport = http(rpcUrl, { batch: true })
  return createPublicClient({ chain: chainOf(id, rpcUrl), transport, pollingInterval: 50, cacheTime: 0 })
}

/** Every event of the pool from the beginning, in order. */
export async function readPoolEvents(credentials: Credentials) {
  const client = readChain(credentials)
  const filter = { address: credentials.chains[0].pool, abi: poolAbi, strict: true } as const
  const head = await client.getBlockNumber()
  // In parts: viem takes no more than 10 MB at once.
  const starts = Array.from({ length: Number(head / 100n) + 1 }, (_, index) => BigInt(index) * 100n)
  const parts = starts.map((fromBlock) => {
    const toBlock = fromBlock + 99n < head ? fromBlock + 99n : head
    return client.getContractEvents({ ...filter, fromBlock, toBlock })
  })
  return (await Promise.all(parts)).flat()
}

/** The service's second and the notes it serves at it. Rejects where it serves none, as right after its time was moved. */
export async function getNotes({ baseUrl, apiKey, caCert }: Credentials) {
  const answer = await sendRequest(`${baseUrl}/notes`, { headers: { 'x-api-key': apiKey }, ca: readFileSync(caCert) })
  const { data } = notesResponseSchema.parse(answer.json())
  return { dateSeconds: BigInt(Date.parse(answer.headers.date!) / 1000), notes: data.map(decodeNote) }
}

/** Lends a thousand dollars from a wallet, as a person would: approve, then lend, each signed with the wallet's key. */
export async function lendFrom(credentials: Credentials, { wallet, note }: { wallet: number; note: Note }) {
  const [{ id, rpcUrl, pool, token }] = credentials.chains
  const account = privateKeyToAccount(credentials.wallets[wallet]!.privateKey)
  const client = createWalletClient({
    account,
    chain: chainOf(id, rpcUrl),
    transport: http(rpcUrl),
    pollingInterval: 50,
    cacheTime: 0,
  }).extend(publicActions)
  const principal = dollars(1_000)
  const approval = { address: token, abi: dollarTokenAbi, functionName: 'approve', args: [pool, principal] } as const
  await client.waitForTransactionReceipt({ hash: await client.writeContract(approval) })
  const params = { beneficiary: account.address, partnerId: noPartner, partnerFeeBPS: 0n, principal }
  const lend = { address: pool, abi: poolAbi, functionName: 'lend', args: [params, note, note.signature] } as const
  const hash = await client.writeContract(lend)
  return client.waitForTransactionReceipt({ hash })
}

/** The processes of this machine that have something to do with a path: number and command line. */
export function processesOf(path: string): { readonly pid: number; readonly command: string }[] {
  const all = execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' }).split('\n')
  return all
    .filter((line) => line.includes(path))
    .map((line) => ({ pid: Number.parseInt(line, 10), command: line.trim().replace(/^\d+ +/, '') }))
}

function chainOf(id: number, rpcUrl: string) {
  return defineChain({
    id,
    name: 'devnet',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [rpcUrl] } },
  })
}
