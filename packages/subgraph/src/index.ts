export { createFollower, type Follower, type FollowerOptions } from './follow/create-follower.ts'
export type { FollowerLog } from './follow/follower-log.ts'
export type { FollowerState, FollowerStatus } from './follow/follower-status.ts'
export type {
  Audit,
  BlockLogs,
  Contradiction,
  IndexReader,
  LoadEntities,
  Log,
  Mapping,
  MappingContext,
  OpenMapping,
  RunOnRpc,
} from './follow/mapping.ts'
export { type AuditOptions, type AuditResult, auditIndex } from './protocol/audit/audit-index.ts'
export { createProtocolMapping, type ProtocolMappingOptions } from './protocol/create-protocol-mapping.ts'
export { openProtocolMapping } from './protocol/open-protocol-mapping.ts'
export { protocolSchema } from './protocol/protocol-schema.ts'
export type { ErrorEntry } from './query/answer/describe-failure.ts'
export type { Answer } from './query/answer/write-answer.ts'
export type { QueryResult } from './query/create-query-engine.ts'
export type { QueryFailureCode } from './query/query-error.ts'
export { assertNesting } from './query/request/assert-nesting.ts'
export type { QueryRequest } from './query/request/read-request.ts'
export { type RebuildOptions, type RebuildProgress, type RebuildStep, rebuildIndex } from './rebuild/rebuild-index.ts'
export { graphqlSchemaOf } from './schema/graphql-schema-of.ts'
export { schemaIdOf } from './schema/schema-id-of.ts'
export type { Block, Head as IndexHead } from './store/block.ts'
export type { BlockChanges, EntityChange } from './store/collect-changes.ts'
export type { StoredEntity } from './store/load-entities.ts'
export { type CommitOptions, openSubgraph, type Subgraph, type SubgraphOptions } from './subgraph.ts'
export { SubgraphError, type SubgraphErrorCode } from './subgraph-error.ts'
