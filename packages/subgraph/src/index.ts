export type { FollowerStatus } from './follow/follower-status.ts'
export type {
  BlockLogs,
  FollowerLog,
  LoadEntities,
  Log,
  Mapping,
  MappingContext,
  OpenMapping,
  RunOnRpc,
} from './follow/mapping.ts'
export { type Follower, type FollowerOptions, startFollower } from './follow/start-follower.ts'
export { type AuditResult, auditIndex } from './protocol/audit/audit-index.ts'
export { createProtocolMapping } from './protocol/create-protocol-mapping.ts'
export { openProtocolMapping } from './protocol/open-protocol-mapping.ts'
export { protocolSchema } from './protocol/protocol-schema.ts'

export type { Answer } from './query/answer/write-answer.ts'

export type { QueryFailureCode } from './query/query-error.ts'
export type { QueryRequest } from './query/request/read-request.ts'
export { parseDocument } from './query/request/read-request.ts'
export { type RebuildOptions, type RebuildStep, rebuildIndex } from './rebuild/rebuild-index.ts'
export { graphqlSchemaOf } from './schema/api-schema.ts'
export { schemaIdOf } from './schema/schema-id-of.ts'
export type { Block, Head as IndexHead } from './store/block.ts'
export type { BlockChanges, EntityChange } from './store/collect-changes.ts'
export type { StoredEntity } from './store/load-entities.ts'
export { openSubgraph, type Subgraph } from './subgraph.ts'
export { SubgraphError } from './subgraph-error.ts'
