import { invalidConfig } from '@tallystick/core'
import type { Database, Queryable } from '@tallystick/database'
import { getAddress, type Hex } from 'viem'
import type { Claim, ClaimConflict } from './claim.ts'

/**
 * A note's rows are its history: a claim, then perhaps its void (a row without a digest), then another claim. The row with
 * the highest revision counts. The service only inserts and reads. docs/operating/signer-journal.md has this statement too.
 */
export const createClaims = `create table if not exists signer_claims (
  chain_id bigint not null, contract text collate "C" not null, domain_name text collate "C" not null,
  domain_version text collate "C" not null, period_start bigint not null, maturity bigint not null,
  revision int not null, digest text check (digest ~ '^0x[0-9a-f]{64}$'), tenor_days int,
  coupon numeric(78), claimed_at timestamptz not null default now(),
  primary key (chain_id, contract, domain_name, domain_version, period_start, maturity, revision))`

/** Creates the table if it is missing. Throws for the database of a service, which protects nothing: one restore affects both. */
export async function prepareClaims(database: Database): Promise<void> {
  if (await hasClaims(database)) return
  await database.transaction(async (transaction) => {
    // Two replicas that create a table at the same time would fail.
    await transaction.query("select pg_advisory_xact_lock(hashtext('signer_claims'))")
    await transaction.query(createClaims)
  })
}

/** Returns whether the table exists. Throws if the database is that of a service. */
export async function hasClaims(database: Database): Promise<boolean> {
  const [found] = await database.query<{ readonly claims: string | null; readonly sets: string | null }>(
    "select to_regclass('signer_claims')::text as claims, to_regclass('note_sets')::text as sets",
  )
  if (!found?.sets) return Boolean(found?.claims)
  const message = `The ${database.label} of signer.protection is the database of a service. Use one of its own, on another server.`
  throw invalidConfig(message)
}

// A commit that the server only promises would be lost with it. A stock server compiles statements that are planned wrong.
// A replica that hangs must not hold its rows.
const settings = `select set_config('jit', 'off', true), set_config('idle_in_transaction_session_timeout', '10s', true),
  set_config('synchronous_commit',
    case current_setting('synchronous_commit') when 'remote_apply' then 'remote_apply' else 'on' end, true)`

/** Claims all of the digests or, if one of the notes has another digest, none. Returns the conflicts. */
export async function claimAll(database: Database, batches: ClaimBatches): Promise<ClaimConflict[]> {
  const conflicts: ClaimConflict[] = []
  const work = async (transaction: Queryable) => {
    await transaction.query(settings)
    for await (const claims of batches) conflicts.push(...(await claim(transaction, claims)))
    if (conflicts.length > 0) throw rolledBack
  }
  await database.transaction(work).catch((error) => {
    if (error !== rolledBack) throw error
  })
  return conflicts
}

/**
 * Records notes that a journal has and the table has not. Never records one that was voided. Returns the conflicts: notes
 * that were claimed with other terms, and never with these.
 */
export async function restateAll(database: Database, claims: readonly Claim[]): Promise<ClaimConflict[]> {
  return database.transaction(async (transaction) => {
    await transaction.query(settings)
    await transaction.query(insertClaims('last.revision is null'), [toJson(claims)])
    return compareAll(transaction, claims)
  })
}

/** Compares the notes of a journal with the table. Returns the conflicts, and without `claimed` those that are missing. */
export function compareAll(database: Queryable, claims: readonly Claim[]): Promise<ClaimConflict[]> {
  const unless = `or exists (select 1 from signer_claims c where ${isPlace} and c.digest = w.digest)`
  return findConflicts(database, { claims, unless })
}

export type VoidedClaims = Pick<Claim, 'chainId' | 'domain' | 'periodStart'> & {
  readonly digests?: readonly Hex[] | undefined
}

/** Voids the claims of a chain's period, or those with some digests, so that other digests can be claimed. */
export async function voidClaims(
  database: Database,
  { chainId, domain, periodStart, digests }: VoidedClaims,
): Promise<void> {
  await database.transaction(async (transaction) => {
    await transaction.query(settings)
    await transaction.query(
      `insert into signer_claims (${place}, revision)
       select ${place}, max(revision) + 1 from signer_claims
       where chain_id = $1 and contract = $2 and domain_name = $3 and domain_version = $4 and period_start = $5
       group by ${place}
       having (array_agg(digest order by revision desc))[1] = any (coalesce($6::text[], array_agg(digest)))
       order by maturity on conflict do nothing`,
      [chainId, domain.verifyingContract.toLowerCase(), domain.name, domain.version, periodStart, digests ?? null],
    )
  })
}

/** Reads the claims that count, in the order of their places, page by page. */
export async function* readClaims(database: Queryable, pageSize = 1_000): AsyncGenerator<Claim[]> {
  let after: unknown[] | undefined
  for (;;) {
    const rows: ClaimRow[] = await database.query<ClaimRow>(
      `select distinct on (${place}) chain_id::float8 as "chainId", contract, domain_name as name, domain_version as version,
         period_start as "periodStart", maturity, digest, tenor_days as "tenorDays", coupon from signer_claims
       ${after ? `where (${place}) > ($1, $2, $3, $4, $5, $6)` : ''}
       order by ${place}, revision desc limit ${pageSize}`,
      after,
    )
    const last = rows.at(-1)
    if (!last) return
    yield rows.filter(({ digest }) => digest !== null).map(fromRow)
    after = [last.chainId, last.contract, last.name, last.version, last.periodStart, last.maturity]
  }
}

export type ClaimBatches = AsyncIterable<readonly Claim[]> | Iterable<readonly Claim[]>

const rolledBack = new Error('a claim conflicts')

const place = 'chain_id, contract, domain_name, domain_version, period_start, maturity'
const isPlace = `(c.chain_id, c.contract, c.domain_name, c.domain_version, c.period_start, c.maturity)
  = (w.chain_id, w.contract, w.domain_name, w.domain_version, w.period_start, w.maturity)`
const wanted = `json_to_recordset($1::json) as w (chain_id bigint, contract text, domain_name text, domain_version text,
  period_start bigint, maturity bigint, digest text, tenor_days int, coupon numeric, index bigint)
  left join lateral (select c.revision, c.digest, c.coupon from signer_claims c where ${isPlace}
    order by c.revision desc limit 1) last on true`

/** In one order everywhere, so that two replicas never wait for each other. A replica waits for another's open claim. */
const insertClaims = (condition: string) => `
  insert into signer_claims (${place}, revision, digest, tenor_days, coupon)
  select ${place}, coalesce(last.revision + 1, 0), w.digest, tenor_days, w.coupon from ${wanted}
  where ${condition} order by ${place} on conflict do nothing`

async function claim(transaction: Queryable, claims: readonly Claim[]): Promise<ClaimConflict[]> {
  await transaction.query(insertClaims('last.revision is null or last.digest is null'), [toJson(claims)])
  // A statement of its own: it sees the rows that the insert found and its snapshot did not.
  return findConflicts(transaction, { claims, unless: '' })
}

async function findConflicts(
  transaction: Queryable,
  { claims, unless }: { readonly claims: readonly Claim[]; readonly unless: string },
): Promise<ClaimConflict[]> {
  const rows = await transaction.query<{ index: bigint; digest: Hex | null; coupon: string | null }>(
    `select w.index, last.digest, last.coupon from ${wanted}
     where not (coalesce(last.digest = w.digest, false) ${unless}) order by w.index`,
    [toJson(claims)],
  )
  return rows.map(({ index, digest, coupon }) => ({
    refused: claims[Number(index)] as Claim,
    claimed: digest === null ? undefined : { digest, coupon: BigInt(coupon ?? 0) },
  }))
}

function toJson(claims: readonly Claim[]): string {
  return JSON.stringify(
    claims.map(({ chainId, domain, periodStart, maturity, digest, tenorDays, coupon }, index) => ({
      chain_id: chainId,
      contract: domain.verifyingContract.toLowerCase(),
      domain_name: domain.name,
      domain_version: domain.version,
      period_start: String(periodStart),
      maturity: String(maturity),
      digest,
      tenor_days: tenorDays,
      coupon: String(coupon),
      index,
    })),
  )
}

type ClaimRow = Omit<Claim, 'domain' | 'digest' | 'coupon'> &
  Pick<Claim['domain'], 'name' | 'version'> & {
    readonly contract: string
    readonly digest: Hex | null
    readonly coupon: string
  }

function fromRow({ contract, name, version, digest, coupon, ...row }: ClaimRow): Claim {
  const domain = { name, version, verifyingContract: getAddress(contract) }
  return { ...row, domain, digest: digest as Hex, coupon: BigInt(coupon) }
}
