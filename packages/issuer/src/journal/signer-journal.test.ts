import { appendFile, readFile, rename, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { periodAfter } from '@tallystick/core'
import { describe, expect, test } from 'vitest'
import {
  chain,
  domain,
  entriesIn,
  entryOf,
  newPath,
  openAt,
  period,
  writeThree,
} from '../../../service/test/journal/signer-journals.ts'
import { encodeDiscard } from './journal-discard.ts'
import { encodeEntry, type JournalEntry } from './journal-entry.ts'
import { findConflict } from './signer-journal.ts'

const uint256Max = 2n ** 256n - 1n

describe('entries', () => {
  test.each([1n, 440n, uint256Max])('default: a coupon of %s bps survives encoding and decoding', async (coupon) => {
    const path = await newPath()
    const journal = await openAt(path)
    await journal.append(entryOf({ coupon }))
    expect(await entriesIn(journal)).toEqual([entryOf({ coupon })])
    await journal.close()
    const again = await openAt(path)
    const { digests, set } = entryOf({ coupon })
    const maturity = set.notes[0]?.maturityTimestamp as bigint
    expect(again.find({ chain, periodStart: period.start })?.notes).toEqual(
      new Map([[maturity, { tenorDays: 7, coupon, digest: digests[0] }]]),
    )
  })

  test('default: only this user can access the file and its directory', async () => {
    const path = await newPath()
    await openAt(path)
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect((await stat(join(path, '..'))).mode & 0o777).toBe(0o700)
  })

  test('behavior: concurrent appends write one line each', async () => {
    const path = await newPath()
    const journal = await openAt(path)
    await Promise.all(Array.from({ length: 20 }, (_, index) => journal.append(entryOf({ coupon: BigInt(index) }))))
    expect((await entriesIn(journal)).map(({ set }) => set.notes[0]?.coupon)).toHaveLength(20)
    expect((await readFile(path, 'utf8')).match(/\n/g)).toHaveLength(20)
  })

  test('behavior: notes of different pools, domains, chains or periods do not conflict', async () => {
    const journal = await openAt(await newPath())
    await journal.append(entryOf())
    const periodStart = period.start
    const other = '0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1' as const
    expect(journal.find({ chain, periodStart })).toBeDefined()
    expect(journal.find({ chain: { ...chain, id: 1 }, periodStart })).toBeUndefined()
    expect(journal.find({ chain, periodStart: period.end })).toBeUndefined()
    expect(journal.find({ chain: { id: 324, domain: { ...domain, version: '2' } }, periodStart })).toBeUndefined()
    const elsewhere = { ...domain, verifyingContract: other }
    expect(journal.find({ chain: { id: 324, domain: elsewhere }, periodStart })).toBeUndefined()
  })

  test('behavior: other terms for the same maturity conflict; other maturities do not', async () => {
    const journal = await openAt(await newPath())
    await journal.append(entryOf())
    const signed = journal.find({ chain, periodStart: period.start })
    const planned = ({ set }: JournalEntry) => ({ notes: set.notes, domain })
    expect(findConflict(signed, planned(entryOf()))).toBeUndefined()
    expect(findConflict(signed, planned(entryOf({ coupon: 369n })))).toMatchObject({
      signed: { coupon: 440n },
      other: { coupon: 369n },
    })
    const longer = entryOf({ coupon: 369n }).set.notes.map((note) => ({
      ...note,
      maturityTimestamp: note.maturityTimestamp + 86_400n,
    }))
    expect(findConflict(signed, { notes: longer, domain })).toBeUndefined()
  })
})

describe('a discarded period', () => {
  const discard = { chainId: 324, domain, periodStart: period.start, by: 'ann “the operator”\n', at: period.start - 9n }
  const key = { chain, periodStart: period.start }

  test('default: its entries are void, also after a restart, and other periods are not affected', async () => {
    const path = await newPath()
    const journal = await openAt(path)
    const next = periodAfter(period)
    for (const of of [period, next, period]) await journal.append(entryOf({ of }))
    await journal.discard(discard)
    const look = ({ find }: typeof journal) => [find(key), find({ chain, periodStart: next.start })?.signatures]
    const expected = [undefined, entryOf().set.notes[0]?.signature.r]
    expect(look(journal)).toEqual(expected)
    await journal.close()
    const again = await openAt(path)
    expect([look(again), again.said]).toEqual([expected, []])
    expect((await readFile(path, 'utf8')).split('\n').at(-2)).toMatch(
      /^[0-9a-f]{16} \{"version":2,"kind":"discard","chainId":324,.*"by":"ann “the operator”\\n","at":"\d+"\}$/,
    )
  })

  test('behavior: a later entry is valid until it is discarded too', async () => {
    const path = await newPath()
    const journal = await openAt(path)
    await journal.append(entryOf())
    await journal.discard(discard)
    const later = entryOf({ coupon: 369n })
    await journal.append(later)
    const couponsOf = ({ find }: typeof journal) => [...(find(key)?.notes.values() ?? [])].map(({ coupon }) => coupon)
    expect(couponsOf(journal)).toEqual([369n])
    await journal.close()
    const again = await openAt(path)
    expect(couponsOf(again)).toEqual([369n])
    await again.discard(discard)
    await again.discard(discard)
    await again.close()
    expect(couponsOf(await openAt(path))).toEqual([])
  })

  test('behavior: a discard for another pool or chain voids nothing', async () => {
    const journal = await openAt(await newPath())
    await journal.append(entryOf())
    await journal.discard({ ...discard, chainId: 1 })
    await journal.discard({ ...discard, domain: { ...domain, version: '2' } })
    expect(journal.find(key)).toBeDefined()
  })

  test('behavior: an incomplete discard line voids nothing and is truncated', async () => {
    const path = await newPath()
    const journal = await openAt(path)
    await journal.append(entryOf())
    await journal.close()
    const { size } = await stat(path)
    await appendFile(path, encodeDiscard(discard).subarray(0, -1))
    const again = await openAt(path)
    expect(again.said).toEqual([expect.stringContaining(`truncating the file to ${size} bytes`)])
    expect(again.find(key)).toBeDefined()
  })

  test('error: a damaged line prevents the start', async () => {
    const path = await newPath()
    const journal = await openAt(path)
    await journal.append(entryOf())
    await journal.close()
    await appendFile(path, encodeDiscard(discard).toString('utf8').replace('"chainId":324', '"chainId":325'))
    await expect(openAt(path)).rejects.toThrow('Line 2 of the signer journal')
  })
})

describe('a pending set', () => {
  const key = { chain, periodStart: period.start }
  const pending = { ...entryOf(), isPending: true } as const
  const [maturity] = entryOf().set.notes.map(({ maturityTimestamp }) => maturityTimestamp) as [bigint]
  const noteIn = ({ find }: Awaited<ReturnType<typeof openAt>>) => find(key)?.notes.get(maturity)

  test('default: it binds like a stored one and stays pending after a restart, until it is stored', async () => {
    const path = await newPath()
    const journal = await openAt(path)
    await journal.append(pending)
    expect(noteIn(journal)).toMatchObject({ coupon: 440n, isPending: true })
    expect(await entriesIn(journal)).toEqual([pending])
    await journal.close()
    const again = await openAt(path)
    expect(noteIn(again)).toMatchObject({ coupon: 440n, isPending: true })
    await again.append(entryOf())
    expect(noteIn(again)).not.toHaveProperty('isPending')
    // A later preflight of the same terms does not make it pending again.
    await again.append(pending)
    expect(noteIn(again)).not.toHaveProperty('isPending')
  })

  test('behavior: a discard of some maturities voids no others', async () => {
    const path = await newPath()
    const journal = await openAt(path)
    const [note] = pending.set.notes
    const longer = { ...(note as NonNullable<typeof note>), tenorDays: 14, maturityTimestamp: maturity + 604_800n }
    const set = { ...pending.set, notes: [...pending.set.notes, longer] }
    await journal.append({ ...pending, set, digests: [...pending.digests, ...pending.digests] })
    const discard = { chainId: 324, domain, periodStart: period.start, by: 'preflight', at: 1n }
    await journal.discard({ ...discard, maturities: [maturity] })
    const maturitiesIn = ({ find }: typeof journal) => [...(find(key)?.notes.keys() ?? [])]
    expect(maturitiesIn(journal)).toEqual([longer.maturityTimestamp])
    await journal.close()
    const again = await openAt(path)
    expect(maturitiesIn(again)).toEqual([longer.maturityTimestamp])
    await again.discard({ ...discard, maturities: [longer.maturityTimestamp] })
    expect(again.find(key)).toBeUndefined()
  })
})

describe('an incomplete last line', () => {
  test.each([
    ['one byte', 1],
    ['all but its line break', encodeEntry(entryOf()).length - 1],
    ['the checksum', 16],
  ])('behavior: with %s, it is truncated and logged, and the next append is complete', async (_, bytes) => {
    const path = await newPath()
    const entries = await writeThree(path)
    const { size } = await stat(path)
    await appendFile(path, encodeEntry(entryOf()).subarray(0, bytes))
    const journal = await openAt(path)
    expect(journal.said).toEqual([expect.stringContaining(`truncating the file to ${size} bytes`)])
    expect((await stat(path)).size).toBe(size)
    await journal.append(entryOf({ coupon: 1n }))
    expect(await entriesIn(journal)).toEqual([...entries, entryOf({ coupon: 1n })])
  })

  test('behavior: NUL bytes in the last line are truncated too', async () => {
    const path = await newPath()
    const entries = await writeThree(path)
    const torn = encodeEntry(entryOf())
    await appendFile(path, torn.fill(0, 10, 60))
    const journal = await openAt(path)
    expect(journal.said).toHaveLength(1)
    expect(await entriesIn(journal)).toEqual(entries)
  })

  test('behavior: an incomplete first line leaves an empty file', async () => {
    const path = await newPath()
    await writeThree(path)
    await truncate(path, 10)
    expect(await entriesIn(await openAt(path))).toEqual([])
  })
})

describe('a damaged line prevents the start', () => {
  const damage: [string, number, (lines: string[]) => string[]][] = [
    ['a digit in the first', 1, ([a, ...rest]) => [(a as string).replace('"coupon":"440"', '"coupon":"369"'), ...rest]],
    ['a digit in the last', 3, (lines) => [...lines.slice(0, 2), (lines[2] as string).replace('440', '441')]],
    ['an empty line', 2, ([a, ...rest]) => [a as string, '', ...rest]],
    ['half a line in the middle', 2, ([a, b, c]) => [a as string, (b as string).slice(0, 50), c as string]],
    ['NUL bytes in the middle', 2, ([a, b, c]) => [a as string, (b as string).replace('324', '\0\0\0'), c as string]],
    ['JSON of another shape', 2, ([a, , c]) => [a as string, '44136fa355b3678a {}', c as string]],
    ['no JSON at all', 2, ([a, , c]) => [a as string, `${'0'.repeat(16)} hello`, c as string]],
  ]
  test.each(damage)('error: %s', async (_, lineNumber, change) => {
    const path = await newPath()
    await writeThree(path)
    const lines = (await readFile(path, 'utf8')).trim().split('\n')
    const damaged = `${change(lines).join('\n')}\n`
    await writeFile(path, damaged)
    await expect(openAt(path)).rejects.toMatchObject({
      code: 'journal_unusable',
      message: expect.stringContaining(`Line ${lineNumber} of the signer journal ${path} is damaged`),
    })
    expect(await readFile(path, 'utf8')).toBe(damaged)
  })
})

describe('a journal that cannot be opened or written', () => {
  test('error: in use by another process, until it ends', async () => {
    const path = await newPath()
    const first = await openAt(path)
    await expect(openAt(path)).rejects.toThrow(/is in use by process \d+ on .*set signer\.journal/)
    await first.close()
    await openAt(path)
  })

  test('error: missing, without permission to create it; nothing is created', async () => {
    const path = await newPath()
    await expect(openAt(path, { create: false })).rejects.toThrow(`${path} cannot be opened (ENOENT)`)
    await expect(stat(join(path, '..'))).rejects.toMatchObject({ code: 'ENOENT' })
  })

  test('error: a directory in its place, and a file in the place of its directory', async () => {
    const path = await newPath()
    await openAt(join(path, 'journal.jsonl'))
    await expect(openAt(path)).rejects.toMatchObject({ code: 'journal_unusable' })
    await expect(openAt(join(path, 'journal.jsonl', 'journal.jsonl'))).rejects.toThrow(
      'Set signer.journal to a file in a directory that this user can write.',
    )
  })

  test('error: moved or replaced while open, until it is restored', async () => {
    const path = await newPath()
    const journal = await openAt(path)
    await rename(path, `${path}.away`)
    await expect(journal.append(entryOf())).rejects.toMatchObject({ reason: 'journal_failed' })
    await writeFile(path, '')
    await expect(journal.append(entryOf())).rejects.toThrow('the file was replaced')
    expect(journal.find({ chain, periodStart: period.start })).toBeUndefined()
    await rename(`${path}.away`, path)
    await journal.append(entryOf())
    expect(await entriesIn(journal)).toEqual([entryOf()])
  })
})
