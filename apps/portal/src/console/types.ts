// Responses of the admin listener, as far as the console uses them. docs/admin.md describes the routes.

export type Role = 'metrics' | 'keys' | 'curve' | 'hooks' | 'view' | 'all'

export type Whoami = { readonly name: string; readonly roles: readonly Role[] }

export type Problem = {
  readonly outcome: 'fail' | 'warn'
  readonly subject: string
  readonly found: string
  readonly advice: string
}

export type ChainStatus = {
  readonly chainId: number
  readonly name: string
  readonly notes: number
  readonly isNextSigned: boolean
  readonly poolProblems: readonly string[] | null
  readonly index: {
    readonly kind: 'embedded' | 'remote'
    readonly state: string
    readonly block: number | null
    readonly blockTime: string | null
    readonly lagBlocks: number | null
    readonly lagSeconds: number | null
    readonly ageSeconds: number | null
    readonly problem: string | null
  } | null
}

export type Status = {
  readonly now: string
  readonly ready: boolean
  readonly problems: readonly Problem[]
  readonly period: string
  readonly nextPeriod: string
  readonly boundary: string
  readonly chains: readonly ChainStatus[]
}

export type Points = Readonly<Record<string, number>>

export type Curve = {
  readonly id: string
  readonly chainId: number | null
  readonly effectiveFrom: string
  readonly points: Points
  readonly confirmed: boolean
  readonly source: 'manual' | 'treasury'
  readonly provenance: { readonly sourceDate: string } | null
  readonly createdBy: string
  readonly createdAt: string
}

export type InForce = { readonly period: string; readonly signed: boolean; readonly curve: Curve | null }

export type Proposal = {
  readonly id: string
  readonly chainId: number | null
  readonly points: Points
  readonly proposedBy: string
  readonly effectiveFromNewYork: string
  readonly expiresAt: string
}

export type CurveChain = {
  readonly chainId: number
  readonly tenors: readonly number[]
  readonly current: InForce
  readonly next: InForce
}

export type CurveReport = {
  readonly source: 'manual' | 'treasury'
  readonly problem: string | null
  readonly chains: readonly CurveChain[]
  readonly proposals?: readonly Proposal[]
  readonly history: readonly Curve[]
}

export type Refusal = { readonly reason: string; readonly message: string }

export type Bound = {
  readonly rail: string
  readonly lowestBps: number
  readonly highestBps: number
  readonly canConfirm: boolean
}

export type PreviewTenor = {
  readonly tenorDays: number
  readonly beforeBps: number | null
  readonly afterBps: number | null
  readonly changeBps: number | null
  readonly bounds: readonly Bound[]
}

export type Preview = {
  readonly verdict: 'store' | 'propose' | 'confirm' | 'refuse'
  readonly needsApproval: boolean
  readonly effectiveFrom: string
  readonly period: string
  readonly chains: readonly {
    readonly chainId: number
    readonly name: string
    readonly tenors: readonly PreviewTenor[]
    readonly refusal: Refusal | null
    readonly canConfirm: boolean
    readonly warning: Refusal | null
  }[]
}

export type PeriodReport = {
  readonly period: string
  readonly start: string
  readonly signed: boolean
  readonly issuedAt: string | null
  readonly refusal: Refusal | null
}

export type NotesReport = {
  readonly chains: readonly {
    readonly chainId: number
    readonly name: string
    readonly current: PeriodReport
    readonly next: PeriodReport
  }[]
}

export type Key = {
  readonly id: string
  readonly name: string
  readonly kind: string
  readonly scopes: readonly string[]
  readonly rpm: number | null
  readonly status: 'active' | 'revoked' | 'expired'
  readonly createdAt: string
  readonly expiresAt: string | null
  readonly revokedAt: string | null
  readonly lastUsedAt: string | null
}

export type Usage = {
  readonly days: readonly string[]
  readonly keys: readonly {
    readonly id: string
    readonly requests: readonly number[]
    readonly total: number
    readonly byScope: Readonly<Record<string, number>>
  }[]
}

export type Replicas = {
  readonly confirmed: readonly string[]
  readonly unconfirmed: readonly { readonly name: string; readonly secondsSinceSeen: number }[]
}

export type KeyChange = { readonly key: Key; readonly secret?: string; readonly replicas?: Replicas }

export type Hook = {
  readonly id: string
  readonly url: string
  readonly types: readonly string[]
  readonly chainId: number | null
  readonly status: 'active' | 'failing' | 'disabled'
  readonly lastSuccessAt: string | null
  readonly lastError: string | null
  readonly disabledReason: string | null
  readonly waiting: number
}

export type HookTest = {
  readonly isDelivered: boolean
  readonly status: number | null
  readonly error: string | null
  readonly durationMs: number
}

export type AuditEntry = {
  readonly id: string
  readonly at: string
  readonly actor: string
  readonly remark: string | null
  readonly action: string
  readonly subject: string
  readonly details: Readonly<Record<string, unknown>>
}
