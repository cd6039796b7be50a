import { type CurvePoints, formatNewYork, type Period, TallystickError } from '@tallystick/core'
import type { Migration, Queryable } from '@tallystick/database'

/** A curve that needs the approval of a second person. It is not in force. Timestamps are Unix seconds. */
export type CurveProposal = {
  readonly id: bigint
  readonly chainId: number | null
  readonly points: CurvePoints
  readonly confirmed: boolean
  readonly proposedBy: string
  /** The boundary from which it would be in force. */
  readonly effectiveFrom: bigint
  /** Id of the newest curve when it was proposed. */
  readonly newestCurve: bigint | null
  readonly createdAt: bigint
  readonly expiresAt: bigint
}

export const proposalMigrations: readonly Migration[] = [
  {
    name: 'curve proposals',
    statements: [
      `create table curve_proposals (
         id bigint generated always as identity primary key, chain_id bigint, points jsonb not null,
         confirmed boolean not null, proposed_by text not null, effective_from bigint not null, newest_curve bigint,
         created_at bigint not null, expires_at bigint not null, approved_at bigint)`,
    ],
  },
]

const lifetimeSeconds = 86_400n

/** Returns the largest move since each tenor's last coupon, basis points. Ignores tenors without an earlier coupon. */
export function findLargestMove(points: CurvePoints, lastCoupons: ReadonlyMap<number, number>): number {
  const moves = Object.entries(points).map(([tenor, bps]) => Math.abs(bps - (lastCoupons.get(Number(tenor)) ?? bps)))
  return Math.max(0, ...moves)
}

/** Throws unless an admin token proves the actor's name. The name of a system user proves nothing. */
export function assertPersonalToken(actor: string): void {
  if (!/^local(:|$)/.test(actor)) return
  throw refused(
    `The move is above rails.fourEyesAboveBps and needs two people, each with their own admin token (admin.tokens). "${actor}" uses the database without a token. Start the service and run the command again.`,
  )
}

export async function storeProposal(
  transaction: Queryable,
  proposal: Omit<CurveProposal, 'id' | 'newestCurve' | 'createdAt' | 'expiresAt'> & { readonly nowSeconds: bigint },
): Promise<CurveProposal> {
  const { chainId, points, confirmed, proposedBy, effectiveFrom, nowSeconds } = proposal
  const [stored] = await transaction.query<CurveProposal>(
    `insert into curve_proposals
       (chain_id, points, confirmed, proposed_by, effective_from, newest_curve, created_at, expires_at)
     values ($1, $2, $3, $4, $5, (select max(id) from curves), $6, $7) returning ${columns}`,
    [chainId, points, confirmed, proposedBy, effectiveFrom, nowSeconds, nowSeconds + lifetimeSeconds],
  )
  return stored as CurveProposal
}

/** Returns the proposals that can still be approved, newest first. */
export async function listProposals(
  database: Queryable,
  { nowSeconds, periodStart }: { readonly nowSeconds: bigint; readonly periodStart: bigint },
): Promise<CurveProposal[]> {
  return database.query<CurveProposal>(
    `select ${columns} from curve_proposals where approved_at is null and expires_at > $1 and effective_from >= $2
     order by id desc limit 20`,
    [nowSeconds, periodStart],
  )
}

/** Returns a proposal that is not approved yet. Throws `proposal_refused` if there is none. */
export async function findProposal(database: Queryable, id: string): Promise<CurveProposal> {
  const isId = /^[1-9]\d{0,17}$/.test(id)
  const select = `select approved_at as "approvedAt", ${columns} from curve_proposals where id = $1`
  const [found] = isId ? await database.query<CurveProposal & { approvedAt: bigint | null }>(select, [id]) : []
  if (!found) {
    throw refused(
      `Proposal ${JSON.stringify(id.slice(0, 60))} does not exist. \`tallystick curve show\` lists the proposals.`,
    )
  }
  const { approvedAt, ...proposal } = found
  if (approvedAt !== null) throw refused(`Proposal ${id} is already approved.`)
  return proposal
}

type Approval = {
  readonly proposal: CurveProposal
  readonly actor: string
  readonly effective: Period
  readonly nowSeconds: bigint
}

/** Marks a proposal as approved, in the transaction that stores its curve. Throws if it can no longer be approved. */
export async function approveProposal(
  transaction: Queryable,
  { proposal, actor, effective, nowSeconds }: Approval,
): Promise<void> {
  const proposeAgain = 'Propose it again with `tallystick curve set`.'
  if (actor.toLowerCase() === proposal.proposedBy.toLowerCase()) {
    throw refused(`Proposal ${proposal.id} was made by "${actor}". Another person must approve it.`)
  }
  if (nowSeconds >= proposal.expiresAt) throw refused(`Proposal ${proposal.id} has expired. ${proposeAgain}`)
  if (effective.start !== proposal.effectiveFrom) {
    throw refused(
      `Proposal ${proposal.id} was for ${formatNewYork(proposal.effectiveFrom)} New York, which has passed or is already signed. ${proposeAgain}`,
    )
  }
  const rows = await transaction.query(
    `update curve_proposals set approved_at = $2 where id = $1 and approved_at is null
       and newest_curve is not distinct from (select max(id) from curves) returning id`,
    [proposal.id, nowSeconds],
  )
  if (rows.length === 0) throw refused(`Another curve was set after proposal ${proposal.id}. ${proposeAgain}`)
}

function refused(message: string): TallystickError {
  return new TallystickError({ code: 'proposal_refused', message, retryable: false })
}

const columns = `id, chain_id::float8 as "chainId", points, confirmed, proposed_by as "proposedBy",
  effective_from as "effectiveFrom", newest_curve as "newestCurve", created_at as "createdAt", expires_at as "expiresAt"`
