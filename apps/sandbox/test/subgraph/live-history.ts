import { type Address, encodePacked, type Hash, type Hex, keccak256 } from 'viem'
import { lendCall, noteAt } from '../calls.ts'
import { type Chain, dollars, noPartner, noteSigner, startsAt } from '../chain.ts'
import { type Call, mineBlock } from './mine-block.ts'
import { lastDayOf, type Model, type ModelPosition, payoutOf, sumOf } from './naive-model.ts'
import type { Action, BlockPlan, Move } from './random-history.ts'

const secondsPerDay = 86_400n

type World = {
  readonly chain: Chain
  readonly model: Model
  /** The wallets can act; the rest, which come after them, can only be given something. */
  readonly people: readonly Address[]
  at: bigint
}

/** Lives a history on the chain and returns what should come of it. */
export async function liveHistory(chain: Chain, plans: readonly BlockPlan[]): Promise<Model> {
  const strangers = [
    '0x00000000000000000000000000000000000abcde',
    '0x00000000000000000000000000000000000abcdf',
  ] as const
  const people = [...chain.wallets.map(({ address }) => address), ...strangers]
  const settings = {
    paused: false,
    signer: lower(noteSigner.address),
    denylister: lower(chain.denylister),
    minLendLimit: dollars(1_000),
    maxCouponLimit: 1_000n,
    minMaturityLimit: 2n * secondsPerDay,
  }
  const model: Model = {
    pool: lower(chain.pool),
    positions: [],
    partners: [],
    incomes: new Map(),
    holders: new Set(),
    settings,
  }
  const world: World = { chain, model, people, at: startsAt + 2n * secondsPerDay }
  for (const plan of plans) {
    world.at += plan.gap
    const steps: Step[] = []
    for (const planned of plan.actions) {
      const step = await perform(world, planned)
      if (step) steps.push(step)
    }
    const hashes = await mineBlock(chain, { at: world.at, calls: steps.map(({ call }) => call) })
    steps.forEach(({ tell }, index) => {
      tell?.(hashes[index]!)
    })
  }
  return model
}

type Step = { readonly call: Call; readonly tell?: (hash: Hash) => void }

function perform(world: World, planned: Action): Promise<Step | undefined> | Step | undefined {
  switch (planned.kind) {
    case 'lend':
      return performLend(world, planned)
    case 'transfer':
      return performTransfer(world, planned)
    case 'claim':
      return performClaim(world, planned)
    case 'batchClaim':
      return performBatchClaim(world, planned)
    case 'income':
      return performIncome(world, planned)
    case 'createPartner':
      return performCreatePartner(world, planned)
    case 'changePartner':
      return performChangePartner(world, planned)
    case 'setting':
      return performSetting(world, planned)
  }
}

type ActionOf<Kind extends Action['kind']> = Extract<Action, { readonly kind: Kind }>

async function performLend({ chain, model, people, at }: World, planned: ActionOf<'lend'>): Promise<Step> {
  const lender = pick(chain.wallets, planned.lender)!.address
  const beneficiary = pick(people, planned.beneficiary)!
  const { id, feeBPS, isKnown } = choosePartner(model, planned.partner)
  const note = noteAt(at, planned)
  const params = { beneficiary, principal: planned.principal, partnerId: id, partnerFeeBPS: feeBPS }
  const { at: _, ...call } = await lendCall(chain, { lender, at, note, params })
  const position: ModelPosition = {
    tokenId: BigInt(model.positions.length + 1),
    initalOwner: lower(beneficiary),
    initiator: lower(lender),
    owner: lower(beneficiary),
    coupon: note.coupon,
    principal: planned.principal,
    lendTimestamp: at,
    maturityTimestamp: note.maturityTimestamp,
    partnerFeeBPS: feeBPS,
    partnerId: id,
    isPartnerKnown: isKnown,
    lendTransactionHash: '',
  }
  model.positions.push(position)
  model.holders.add(position.owner)
  const tell = (hash: Hash) => {
    position.lendTransactionHash = hash
  }
  return { call, tell }
}

/** One that is there, or none: the pool refuses others. */
function choosePartner({ partners }: Model, chosen: number) {
  const partner = chosen % 3 === 0 ? undefined : pick(partners, chosen)
  return partner ? { id: partner.id as Hex, feeBPS: partner.feeBPS, isKnown: true } : noPartnerChosen
}

const noPartnerChosen = { id: noPartner, feeBPS: 0n, isKnown: false }

function performTransfer(world: World, planned: Move): Step | undefined {
  const { chain, model, people } = world
  const position = pick(
    model.positions.filter((held) => !held.claim && walletOf(world, held)),
    planned.position,
  )
  if (!position) return undefined
  const from = walletOf(world, position)!
  const to = pick(people, planned.to)!
  position.owner = lower(to)
  model.holders.add(position.owner)
  const args = [from, to, position.tokenId]
  return { call: { from, to: chain.positions, functionName: 'transferFrom', args } }
}

function performClaim(world: World, planned: Move): Step | undefined {
  const position = pick(findClaimable(world), planned.position)
  if (!position) return undefined
  const from = walletOf(world, position)!
  const beneficiary = pick(world.people, planned.to)!
  const tell = close(world, { position, beneficiary })
  return { call: { from, to: world.chain.pool, functionName: 'claim', args: [beneficiary, position.tokenId] }, tell }
}

function performBatchClaim(world: World, planned: Move): Step | undefined {
  const first = pick(findClaimable(world), planned.position)
  if (!first) return undefined
  const from = walletOf(world, first)!
  const beneficiary = pick(world.people, planned.to)!
  const batch = findClaimable(world)
    .filter(({ owner }) => owner === first.owner)
    .slice(0, 2)
  const tells = batch.map((position) => close(world, { position, beneficiary }))
  const args = [batch.map(() => beneficiary), batch.map(({ tokenId }) => tokenId)]
  const tell = (hash: Hash) => {
    for (const tellOne of tells) tellOne(hash)
  }
  return { call: { from, to: world.chain.pool, functionName: 'batchClaim', args }, tell }
}

function close(
  { model, at }: World,
  { position, beneficiary }: { readonly position: ModelPosition; readonly beneficiary: Address },
) {
  const claim = { at, beneficiary: lower(beneficiary), ...payoutOf(model, { position, at }), hash: '' }
  position.claim = claim
  return (hash: Hash) => {
    claim.hash = hash
  }
}

function performIncome({ chain, model, at }: World, planned: ActionOf<'income'>): Step | undefined {
  const admin = { from: chain.admin.address, to: chain.pool }
  const [income] = planned.incomes
  const yesterday = at / secondsPerDay - 1n
  const last = lastDayOf(model)
  if (last === 0n || last === yesterday - 1n) {
    reportIncomes(model, { firstDay: yesterday, incomes: [income!], at })
    return { call: { ...admin, functionName: 'updateDailyFloatingIncome', args: [income] } }
  }
  const known = [...model.incomes.keys()].reduce((first, day) => (day < first ? day : first))
  const wanted = last === yesterday ? last - BigInt(planned.daysBack) : last + 1n
  const firstDay = wanted < known ? known : wanted
  const incomes = planned.incomes.slice(0, Number(yesterday - firstDay) + 1)
  // The pool refuses a sum above that of the next day.
  const next = model.incomes.get(firstDay + BigInt(incomes.length))
  if (next && next.sum < sumOf(model, firstDay - 1n) + incomes.reduce((sum, of) => sum + of, 0n)) return undefined
  reportIncomes(model, { firstDay, incomes, at })
  const args = [firstDay, BigInt(incomes.length), incomes]
  return { call: { ...admin, functionName: 'updatePreviousFloatingIncome', args } }
}

function reportIncomes(
  model: Model,
  { firstDay, incomes, at }: { readonly firstDay: bigint; readonly incomes: readonly bigint[]; readonly at: bigint },
): void {
  const nextDay = firstDay + BigInt(incomes.length)
  const next = model.incomes.get(nextDay)
  const before = sumOf(model, nextDay - 1n)
  incomes.forEach((income, index) => {
    const day = firstDay + BigInt(index)
    model.incomes.set(day, { sum: sumOf(model, day - 1n) + income, updatedAt: at })
  })
  // The next day keeps its sum, so that its income is another one.
  if (next && sumOf(model, nextDay - 1n) !== before) model.incomes.set(nextDay, { sum: next.sum, updatedAt: at })
}

function performCreatePartner({ chain, model, people }: World, planned: ActionOf<'createPartner'>): Step {
  const owner = pick(chain.wallets, planned.owner)!.address
  const vault = pick(people, planned.vault)!
  const { feeBPS } = planned
  const id = nextPartnerId(model, owner)
  model.partners.push({ id, creator: lower(owner), owner: lower(owner), vault: lower(vault), feeBPS })
  return { call: { from: owner, to: chain.pool, functionName: 'createPartner', args: [vault, feeBPS] } }
}

function performChangePartner({ chain, model }: World, planned: ActionOf<'changePartner'>): Step | undefined {
  const partner = pick(model.partners, planned.partner)
  if (!partner) return undefined
  const call = { from: partner.owner as Address, to: chain.pool }
  const wallet = pick(chain.wallets, planned.value)!.address
  const change = {
    owner: { functionName: 'transferPartnerOwnership', value: wallet },
    vault: { functionName: 'setPartnerVault', value: wallet },
    feeBPS: { functionName: 'setPartnerFee', value: BigInt(planned.value) },
  }[planned.field]
  // The pool refuses a change to the same value.
  const isSame =
    planned.field === 'feeBPS' ? partner.feeBPS === BigInt(planned.value) : partner[planned.field] === lower(wallet)
  if (isSame) return undefined
  if (planned.field === 'feeBPS') partner.feeBPS = BigInt(planned.value)
  else partner[planned.field] = lower(wallet)
  return { call: { ...call, functionName: change.functionName, args: [partner.id, change.value] } }
}

function performSetting({ chain, model }: World, { field, value }: ActionOf<'setting'>): Step {
  const functionName = `set${field.charAt(0).toUpperCase()}${field.slice(1)}`
  model.settings[field] = value
  return { call: { from: chain.admin.address, to: chain.pool, functionName, args: [value] } }
}

function findClaimable(world: World): readonly ModelPosition[] {
  return world.model.positions.filter(
    (position) => !position.claim && position.maturityTimestamp <= world.at && walletOf(world, position),
  )
}

function walletOf({ chain }: World, { owner }: ModelPosition): Address | undefined {
  return chain.wallets.find(({ address }) => lower(address) === owner)?.address
}

function nextPartnerId({ partners }: Model, owner: Address): Hex {
  const nonce = BigInt(partners.filter(({ creator }) => creator === lower(owner)).length)
  return keccak256(encodePacked(['address', 'uint256'], [owner, nonce]))
}

function pick<Item>(items: readonly Item[], choice: number): Item | undefined {
  return items[choice % Math.max(1, items.length)]
}

function lower(address: Address): string {
  return address.toLowerCase()
}
