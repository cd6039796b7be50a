export {
  type AnswerInputs,
  type AskIndex,
  createAskIndex,
  createFindMaturePositions,
  createReadIndexedPool,
  listMature,
  maturePositionsQuery,
} from './ask-index.ts'
export {
  deadlineReached,
  type Head,
  type SubgraphAnswer,
  type SubgraphQuery,
  type SubgraphSource,
  type UpstreamFailure,
} from './chain-subgraph.ts'
export { createDataSources, type DataSources } from './create-data-sources.ts'
export { classifyFailure, createEmbeddedSubgraph, measureSubgraph } from './embedded/embedded-subgraph.ts'
export {
  addSubgraphMetrics,
  type EmbeddedSubgraph,
  namespaceOf,
  startEmbeddedSubgraphs,
  subgraphMetricHelp,
} from './embedded/start-embedded-subgraphs.ts'
export { createGate } from './gate.ts'
export { createPublicQueries, type PublicQueries, publicQueryMetricHelp } from './public/create-public-queries.ts'
export { createPublicAnswer } from './public/public-answer.ts'
export { type AnalysedQuery, createAnalyse, type PreparedQuery, prepareQuery } from './query/analyse-query.ts'
export { publicQueryLimits, queryLimits, type Variables } from './query/measure-selection.ts'
export { type ChainResult, createGateway, dataMetricHelp, type Gateway } from './query-chains.ts'
export { classifyAnswer } from './remote/classify-answer.ts'
export { createRedact } from './remote/create-redact.ts'
export { createSender } from './remote/create-sender.ts'
export { addRemoteMetrics, remoteMetricHelp } from './remote/remote-metrics.ts'
export { createRemoteSubgraph, type RemoteSubgraph } from './remote/remote-subgraph.ts'
export { createEmbeddedSource, createRemoteSource } from './sources/source.ts'
export {
  addSourceMetrics,
  createTwoSourceSubgraph,
  sourceMetricHelp,
  type TwoSourceSubgraph,
} from './sources/two-source-subgraph.ts'
