export { createChainTimeReader, type ReadChainTime } from './chain-time-reader.ts'
export type { PoolWiring, WiringOptions, WiringResult } from './pool/check-wiring.ts'
export { isLimitReason, type Revert, type RevertReason } from './pool/describe-revert.ts'
export {
  ChainError,
  createPoolReader,
  type PoolReader,
  type PoolReaderOptions,
  type PoolValues,
  type PoolViews,
} from './pool/pool-reader.ts'
export { probeSigner } from './pool/probe-signer.ts'
export type { PoolContracts, TokenDomain, TokenFacts } from './pool/read-contracts.ts'
export type { PoolFloatingIncome } from './pool/read-floating-income.ts'
export type { PausableContract, PoolLimits, PoolPauses, PoolState } from './pool/read-pool-state.ts'
export type { NoteRefusal, PoolVerdict } from './pool/validate-notes.ts'
export { type ChainIdentity, createChainIdentity } from './rpc/chain-identity.ts'
export { createRpcEndpoint, type RpcCall, type RpcEndpoint } from './rpc/rpc-endpoint.ts'
export { RpcError, type RpcErrorKind } from './rpc/rpc-error.ts'
export { createRpcPool, NoRpcError, type RpcLog, type RpcPool } from './rpc/rpc-pool.ts'
