import { createPublicKey, verify } from 'node:crypto'
import { type Note, verifyLogged } from '@tallystick/client'
import { createPublicLog, type PublicLog } from '@tallystick/workbench/public-log/create-public-log'
import { type PublicLogServer, servePublicLog } from '@tallystick/workbench/public-log/serve-public-log'
import { compare, type Result } from '../result.ts'

const rounds = 30
const verificationsPerRound = 20
const warmUpVerifications = 200
/** Four years of a service with three chains. */
const entryCount = 10_000
const periodStart = 1_794_632_400n
// DER header of an Ed25519 public key (RFC 8410 §4).
const spkiHeader = Buffer.from('302a300506032b6570032100', 'hex')

/**
 * Measures `verifyLogged` of the SDK for the notes of one chain, with the checkpoint of its last verification in storage.
 * The baseline is what no verifier can avoid: the same requests in the same order, and the signature of the checkpoint,
 * with Node's own Ed25519.
 */
export async function measureVerify(): Promise<Result[]> {
  const notes = [7, 14, 30].map(createNote)
  const log = createLog(notes)
  const server = await servePublicLog(log)
  const verifySdk = createSdkVerification(server, notes)
  await verifySdk()
  const paths = [...server.requests]
  const verifyBare = () => fetchAndVerify(server, paths)
  for (let count = 0; count < warmUpVerifications; count++) {
    await verifySdk()
    await verifyBare()
  }
  const measured = []
  for (let round = 0; round < rounds; round++) {
    measured.push({ value: await timeOf(verifySdk), baseline: await timeOf(verifyBare) })
  }
  await server.close()
  return [compare({ name: 'log.verify', unit: 'ms', target: { atMost: 3 } }, measured)]
}

function createSdkVerification({ url, log }: PublicLogServer, notes: readonly Note[]): () => Promise<void> {
  const known = log.checkpoint
  log.append('{"v":1,"type":"signer"}')
  log.publish()
  return async () => {
    // The last verification is always one entry ago.
    const storage = { get: () => known, set: () => {} }
    const [logged] = await verifyLogged(notes, { log: url, key: log.key, storage })
    if (logged?.index !== entryCount / 2) throw new Error('the notes were not found where they are')
  }
}

async function fetchAndVerify({ url, log }: PublicLogServer, paths: readonly string[]): Promise<void> {
  const read = async (path: string) => Buffer.from(await (await fetch(`${url}/${path}`)).arrayBuffer())
  const [proof = '', checkpoint = '', ...tiles] = paths
  await read(proof)
  const [text = '', signatures = ''] = (await read(checkpoint)).toString().split('\n\n')
  const encoded = log.key.split('+').slice(2).join('+')
  const der = Buffer.concat([spkiHeader, Buffer.from(encoded, 'base64').subarray(1)])
  const signature = Buffer.from(signatures.trim().split(' ')[2] ?? '', 'base64').subarray(4)
  const key = createPublicKey({ key: der, format: 'der', type: 'spki' })
  if (!verify(null, Buffer.from(`${text}\n`), key, signature)) throw new Error('the signature is wrong')
  await Promise.all(tiles.map(read))
}

async function timeOf(run: () => Promise<void>): Promise<number> {
  const startedAt = performance.now()
  for (let count = 0; count < verificationsPerRound; count++) await run()
  return (performance.now() - startedAt) / verificationsPerRound
}

function createNote(tenorDays: number): Note {
  return {
    chainId: 324,
    maturityTimestamp: periodStart + BigInt(tenorDays) * 86_400n,
    coupon: 369n,
    validAfter: periodStart - 1n,
    validBefore: periodStart + 64_800n,
    startedAt: periodStart,
    signature: { r: `0x${'1'.repeat(64)}`, s: `0x${'2'.repeat(64)}`, v: 27 },
  }
}

function createLog(notes: readonly Note[]): PublicLog {
  const log = createPublicLog()
  for (let index = 0; index < entryCount; index++) {
    log.append(index === entryCount / 2 ? formatEntry(notes) : `{"v":1,"type":"curve","index":${index}}`)
  }
  log.publish()
  return log
}

function formatEntry(notes: readonly Note[]): string {
  const period = { start: String(periodStart), end: String(periodStart + 64_800n) }
  const wireNotes = notes.map((note) => ({
    maturity_timestamp: String(note.maturityTimestamp),
    coupon: String(note.coupon),
    note_started_at: String(note.startedAt),
    signature_valid_after: String(note.validAfter),
    signature_valid_before: String(note.validBefore),
    signature: note.signature,
    chainid: String(note.chainId),
  }))
  const entry = { v: 1, type: 'notes', chainid: '324', period, issuedAt: String(periodStart - 600n), notes: wireNotes }
  return JSON.stringify(entry)
}
