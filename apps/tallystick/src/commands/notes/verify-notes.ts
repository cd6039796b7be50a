import { readFileSync } from 'node:fs'
import { systemTime, toSeconds } from '@tallystick/base'
import { decodeNote, type Note, type NoteTimes, noteStatusAt, TallystickError, verifyNote } from '@tallystick/core'
import { openSigners } from '@tallystick/issuer'
import { type ChainConfig, describeTimes, loadConfig } from '@tallystick/service'
import { type Address, isAddress } from 'viem'
import type { ConfigSource } from '../terminal/terminal.ts'

export type CheckedNote = {
  readonly chainId: number
  readonly maturityTimestamp: string
  readonly times: NoteTimes
  readonly coupon: string
  /** Whether the expected signer signed it for the configured pool of its chain. */
  readonly genuine: boolean
  readonly reason: string | null
  readonly status: string
  /** How long the pool still accepts it. */
  readonly secondsLeft: number
}

/** Verifies the notes of a file: a `/notes` response, a list of notes, or one note. */
export async function verifyNotesFile(
  file: string,
  { source, signer }: { readonly source: ConfigSource; readonly signer: string | undefined },
): Promise<CheckedNote[]> {
  const config = loadConfig(source.path, { env: source.env, secrets: 'optional' })
  const notes = readNotes(file)
  const chains = config.chains.filter(({ id }) => notes.some(({ chainId }) => chainId === id))
  const signers = await expectedSigners(chains, signer)
  const nowSeconds = toSeconds(systemTime.now())
  return Promise.all(notes.map((note) => checkNote(note, { chains, signers, nowSeconds })))
}

/** Expected signer of each chain, by chain id. */
type Signers = ReadonlyMap<number, Address>

type Expected = { readonly chains: readonly ChainConfig[]; readonly signers: Signers; readonly nowSeconds: bigint }

async function checkNote(note: Note, { chains, signers, nowSeconds }: Expected): Promise<CheckedNote> {
  const chain = chains.find(({ id }) => id === note.chainId)
  const verification = chain
    ? await verifyNote(note, { domain: chain.domain, signer: signers.get(chain.id) as Address })
    : ({ valid: false, reason: `chain ${note.chainId} is not configured` } as const)
  const status = noteStatusAt(note, nowSeconds)
  return {
    chainId: note.chainId,
    maturityTimestamp: note.maturityTimestamp.toString(),
    times: describeTimes(note),
    coupon: note.coupon.toString(),
    genuine: verification.valid,
    reason: verification.valid ? null : verification.reason,
    status,
    secondsLeft: status === 'usable' ? Number(note.validBefore - nowSeconds) : 0,
  }
}

async function expectedSigners(chains: readonly ChainConfig[], signer: string | undefined): Promise<Signers> {
  if (signer === undefined) {
    return new Map([...(await openSigners(chains))].map(([id, { address }]) => [id, address]))
  }
  if (isAddress(signer)) return new Map(chains.map(({ id }) => [id, signer]))
  throw new TallystickError({
    code: 'invalid_note_file',
    message: `--signer "${signer}" is not an address.`,
    retryable: false,
  })
}

function readNotes(file: string): Note[] {
  try {
    const value = JSON.parse(readFileSync(file === '-' ? 0 : file, 'utf8'))
    const wires = Array.isArray(value) ? value : Array.isArray(value?.data) ? value.data : [value]
    return wires.map(decodeNote)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new TallystickError({
      code: 'invalid_note_file',
      message: code
        ? `${file} cannot be read (${code}).`
        : `${file} contains no notes in the format of GET /notes. Save a response of it, or one element of its "data".`,
      retryable: false,
      cause: error,
    })
  }
}
