export { createChainTimeReader, type ReadChainTime } from './chain-time-reader.ts'
export { exchange, HttpError } from './http/exchange.ts'
export { findJson } from './http/find-json.ts'
export { codeOf, type HttpAnswer, type HttpHead, headerOf, receive } from './http/receive.ts'
export { callContracts } from './pool/call-contract.ts'
export type { PoolWiring, WiringResult } from './pool/check-wiring.ts'
export { isLimitReason, type RevertReason } from './pool/describe-revert.ts'
export { ChainError, createPoolReader, type PoolReader, type PoolViews } from './pool/pool-reader.ts'
export { probeSigner } from './pool/probe-signer.ts'
export type { PoolContracts, TokenFacts } from './pool/read-contracts.ts'
export { readDenylisters } from './pool/read-denylisters.ts'
export type { PoolFloatingIncome } from './pool/read-floating-income.ts'
export { type Lend, type LendsRead, readLends } from './pool/read-lends.ts'
export type { PausableContract, PoolLimits, PoolPauses, PoolState } from './pool/read-pool-state.ts'
export type { NoteRefusal } from './pool/validate-notes.ts'
export { type Anchor, type ChainIdentity, createChainIdentity } from './rpc/chain-identity.ts'
export { createRangeSizer, type RangeSizer } from './rpc/range-sizer.ts'
export {
  type BlockHeader,
  findBlock,
  findBlockAt,
  type HeaderWithBloom,
  isHash,
  parseHeader,
  parseQuantity,
  readBlocks,
  readHeaders,
  readLatest,
  readLatestHeader,
  toBlockCall,
  toQuantity,
} from './rpc/read-blocks.ts'
export { createRpcEndpoint, type RpcCall, type RpcEndpoint } from './rpc/rpc-endpoint.ts'
export { RpcError, type RpcErrorKind } from './rpc/rpc-error.ts'
export { createRpcPool, NoRpcError, type RpcPool } from './rpc/rpc-pool.ts'
