// @module-tag postgres

import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { type Database, openDatabase } from '@tallystick/database'
import {
  type Claim,
  claimAll,
  createClaims,
  createSignerProtection,
  prepareClaims,
  readClaims,
  restateAll,
  voidClaims,
} from '@tallystick/issuer'
import pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { newDatabase, newEmptyDatabase } from '../harness.ts'
import { chain, domain, period } from '../journal/signer-journals.ts'

/** A claim of the 7-day note, unless told otherwise. `terms` decides the digest. */
function claimOf(terms: number, { tenorDays = 7, ...more }: Partial<Claim> = {}): Claim {
  const maturity = period.noteDay + BigInt(tenorDays) * 86_400n
  const digest = `0x${terms.toString(16).padStart(64, '0')}` as const
  return {
    ...{ chainId: 324, domain, periodStart: period.start, maturity, digest, tenorDays, coupon: BigInt(terms) },
    ...more,
  }
}

async function openClaims(url?: string): Promise<Database> {
  const database = await openDatabase(url ?? (await newEmptyDatabase()))
  onTestFinished(() => database.close())
  await prepareClaims(database)
  return database
}

async function allIn(database: Database): Promise<Claim[]> {
  const all: Claim[] = []
  for await (const page of readClaims(database, 2)) all.push(...page)
  return all
}

describe('a claim', () => {
  test('default: the same digest can be claimed again, another one cannot', async () => {
    const database = await openClaims()
    expect(await claimAll(database, [[claimOf(440)]])).toEqual([])
    expect(await claimAll(database, [[claimOf(440)]])).toEqual([])
    expect(await claimAll(database, [[claimOf(369)]])).toEqual([
      { refused: claimOf(369), claimed: { digest: claimOf(440).digest, coupon: 440n } },
    ])
    expect(await allIn(database)).toEqual([claimOf(440)])
  })

  test('behavior: of a set with one other digest, nothing is claimed', async () => {
    const database = await openClaims()
    await claimAll(database, [[claimOf(440)]])
    const set = [claimOf(369), claimOf(365, { tenorDays: 14 })]
    expect(await claimAll(database, [set])).toHaveLength(1)
    // In another batch too.
    expect(
      await claimAll(
        database,
        set.toReversed().map((claim) => [claim]),
      ),
    ).toHaveLength(1)
    expect(await allIn(database)).toEqual([claimOf(440)])
  })

  test('behavior: other chains, pools, domains, periods and maturities are other places', async () => {
    const database = await openClaims()
    const elsewhere = { ...domain, verifyingContract: '0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1' } as const
    const claims = [
      claimOf(1),
      claimOf(2, { chainId: 1 }),
      claimOf(3, { domain: elsewhere }),
      claimOf(4, { domain: { ...domain, name: 'Other' } }),
      claimOf(5, { domain: { ...domain, version: '2' } }),
      claimOf(6, { periodStart: period.end }),
      claimOf(7, { tenorDays: 14 }),
    ]
    for (const claim of claims) expect(await claimAll(database, [[claim]])).toEqual([])
    expect(await allIn(database)).toHaveLength(claims.length)
    // The same pool, written in another way.
    const lower = { ...domain, verifyingContract: domain.verifyingContract.toLowerCase() as `0x${string}` }
    expect(await claimAll(database, [[claimOf(9, { domain: lower })]])).toHaveLength(1)
  })

  test('behavior: of twenty claims at the same time with different digests, exactly one is granted', async () => {
    const url = await newEmptyDatabase()
    const database = await openClaims(url)
    const others = await Promise.all([openClaims(url), openClaims(url)])
    const setOf = (terms: number) => [claimOf(terms), claimOf(terms, { tenorDays: 14 })]
    const claimed = await Promise.all(
      Array.from({ length: 20 }, (_, index) => {
        const set = index % 2 ? setOf(index + 1) : setOf(index + 1).toReversed()
        return claimAll([database, ...others][index % 3] as Database, [set])
      }),
    )
    const granted = claimed.flatMap((conflicts, index) => (conflicts.length === 0 ? [index + 1] : []))
    expect(granted).toHaveLength(1)
    expect((await allIn(database)).map(({ coupon }) => coupon)).toEqual([
      BigInt(granted[0] as number),
      BigInt(granted[0] as number),
    ])
  })

  test('behavior: one waits for an open claim of another process, and is granted if that one is rolled back', async () => {
    const url = await newEmptyDatabase()
    const database = await openClaims(url)
    const other = new pg.Client({ connectionString: url })
    await other.connect()
    onTestFinished(() => other.end())
    const insert = `insert into signer_claims select 324, lower($1), $2, $3, $4, $5, 0, $6, 7, 440`
    const { digest, maturity } = claimOf(440)
    await other.query('begin')
    const { verifyingContract, name, version } = domain
    await other.query(insert, [verifyingContract, name, version, String(period.start), String(maturity), digest])
    const claiming = claimAll(database, [[claimOf(369)]])
    const waiting = "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"
    await expect.poll(() => database.query(waiting)).toHaveLength(1)
    await other.query('rollback')
    expect(await claiming).toEqual([])
  })

  test('behavior: it is durable whatever the server’s default says, and its session does not compile', async () => {
    const url = await newEmptyDatabase()
    const database = await openClaims(url)
    const name = new URL(url).pathname.slice(1)
    await database.query(`alter database ${name} set synchronous_commit = off`)
    await database.query(
      `create function note() returns trigger language plpgsql as $$ begin
         insert into seen select current_setting('synchronous_commit'), current_setting('jit'); return new; end $$`,
    )
    await database.query('create table seen (commit text, jit text)')
    await database.query('create trigger note after insert on signer_claims for each row execute function note()')
    const fresh = await openClaims(url)
    expect(await fresh.query("select current_setting('synchronous_commit') as now")).toEqual([{ now: 'off' }])
    await claimAll(fresh, [[claimOf(440)]])
    await voidClaims(fresh, claimOf(440))
    await restateAll(fresh, [claimOf(1, { tenorDays: 14 })])
    expect(await fresh.query('select distinct commit, jit from seen')).toEqual([{ commit: 'on', jit: 'off' }])
  })
})

describe('a void', () => {
  const key = { chainId: 324, domain, periodStart: period.start }

  test('default: other terms, and the same ones, can be claimed after it', async () => {
    const database = await openClaims()
    for (const terms of [440, 369, 440]) {
      expect(await claimAll(database, [[claimOf(terms)]])).toEqual([])
      await voidClaims(database, key)
      expect(await allIn(database)).toEqual([])
    }
    await voidClaims(database, key)
    expect(await claimAll(database, [[claimOf(1)]])).toEqual([])
    expect(await claimAll(database, [[claimOf(2)]])).toHaveLength(1)
  })

  test('behavior: with digests, it voids those alone; another period is never affected', async () => {
    const database = await openClaims()
    const other = claimOf(5, { periodStart: period.end })
    await claimAll(database, [[claimOf(440), claimOf(436, { tenorDays: 14 }), other]])
    await voidClaims(database, { ...key, digests: [claimOf(440).digest, claimOf(7).digest] })
    expect(await allIn(database)).toEqual([claimOf(436, { tenorDays: 14 }), other])
    await voidClaims(database, key)
    expect(await allIn(database)).toEqual([other])
  })

  test('behavior: a journal that still has a voided note does not bring it back', async () => {
    const database = await openClaims()
    await claimAll(database, [[claimOf(440)]])
    await voidClaims(database, key)
    expect(await restateAll(database, [claimOf(440)])).toEqual([])
    expect(await claimAll(database, [[claimOf(369)]])).toEqual([])
    // It was signed before the void, so it is no contradiction.
    expect(await restateAll(database, [claimOf(440)])).toEqual([])
  })
})

test('default: what a journal has is recorded if it is missing, and reported if it contradicts a claim', async () => {
  const database = await openClaims()
  await claimAll(database, [[claimOf(440)]])
  const [missing, other] = [claimOf(436, { tenorDays: 14 }), claimOf(369)]
  expect(await restateAll(database, [claimOf(440), missing])).toEqual([])
  expect(await restateAll(database, [missing, other])).toMatchObject([{ refused: other, claimed: { coupon: 440n } }])
  expect(await allIn(database)).toEqual([claimOf(440), missing])
})

describe('the database of the protection', () => {
  test('default: two replicas that create the table at the same time both succeed', async () => {
    const url = await newEmptyDatabase()
    const [first] = await Promise.all(Array.from({ length: 4 }, () => openClaims(url)))
    expect(await allIn(first as Database)).toEqual([])
  })

  test('behavior: a user who may only insert and read is enough', async () => {
    const url = await newEmptyDatabase()
    const owner = await openDatabase(url)
    onTestFinished(() => owner.close())
    const role = `signer_${new URL(url).pathname.slice(1)}`
    await owner.query(`create role ${role} login password 'secret'`)
    const limited = new URL(url)
    Object.assign(limited, { username: role, password: 'secret' })
    const protection = createSignerProtection(limited.href)
    onTestFinished(async () => {
      await protection.close()
      await owner.query(`drop owned by ${role}`)
      await owner.query(`drop role ${role}`)
    })
    await owner.query('revoke create on schema public from public')
    await expect(protection.claim([claimOf(440)])).rejects.toMatchObject({
      reason: 'protection_failed',
      message: expect.stringContaining('may not create, read or insert into signer_claims'),
    })
    await owner.query(createClaims)
    await owner.query(`grant select, insert on signer_claims to ${role}`)
    await protection.claim([claimOf(440)])
    await protection.discard({ chainId: chain.id, domain, periodStart: period.start })
    await protection.claim([claimOf(369)])
    expect(await protection.restate([claimOf(369)])).toEqual([])
    expect(protection.problem()).toBeUndefined()
  })

  test('error: the database of a service, under another name', async () => {
    const protection = createSignerProtection(await newDatabase())
    onTestFinished(() => protection.close())
    await expect(protection.claim([claimOf(440)])).rejects.toThrow('is the database of a service')
  })

  test('error: a server that accepts connections and does not answer', async () => {
    const server = createServer()
    await once(server.listen(0, '127.0.0.1'), 'listening')
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    const protection = createSignerProtection(`postgres://user@127.0.0.1:${port}/claims?connect_timeout=1`)
    await expect(protection.claim([claimOf(440)])).rejects.toMatchObject({ reason: 'protection_failed' })
    expect(protection.problem()).toContain('cannot be used')
  })

  test('error: a wrong password is not quoted', async () => {
    const url = new URL(await newEmptyDatabase())
    Object.assign(url, { username: 'nobody', password: 'hunter2' })
    const protection = createSignerProtection(url.href)
    onTestFinished(() => protection.close())
    const error = await protection.claim([claimOf(440)]).catch(String)
    expect(error).toContain('Nothing is signed without it')
    expect(error).not.toContain('hunter2')
  })
})
