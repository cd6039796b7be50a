export { type AskIndex, createAskIndex } from './ask-index.ts'
export type { Head, SubgraphAnswer, SubgraphQuery, SubgraphSource, UpstreamFailure } from './chain-subgraph.ts'
export { createDataSources, type DataSources } from './create-data-sources.ts'
export { createDataMetrics, dataMetricHelp } from './data-metrics.ts'
export { deadlineReached } from './deadline.ts'
export { classifyFailure, createEmbeddedSubgraph, measureSubgraph } from './embedded/embedded-subgraph.ts'
export {
  addSubgraphMetrics,
  type EmbeddedSubgraph,
  namespaceOf,
  startEmbeddedSubgraphs,
  subgraphMetricHelp,
} from './embedded/start-embedded-subgraphs.ts'
export { createFindMaturePositions, listMature, maturePositionsQuery } from './find-mature-positions.ts'
export { createPublicQueries, type PublicQueries, publicQueryMetricHelp } from './public/create-public-queries.ts'
export { createPublicAnswer, type PublicAnswer } from './public/public-answer.ts'
export { createQueryGate } from './public/query-gate.ts'
export { type AnalysedQuery, createAnalyse, type PreparedQuery, prepareQuery } from './query/analyse-query.ts'
export { publicQueryLimits, queryLimits, type Variables } from './query/measure-selection.ts'
export { type ChainResult, createGateway, type Gateway } from './query-chains.ts'
export { createReadIndexedPool } from './read-indexed-pool.ts'
export { classifyAnswer } from './remote/classify-answer.ts'
export { createRedact } from './remote/create-redact.ts'
export { createSender } from './remote/create-sender.ts'
export { addRemoteMetrics, remoteMetricHelp } from './remote/remote-metrics.ts'
export { createRemoteSubgraph, type RemoteSubgraph } from './remote/remote-subgraph.ts'
export { type StartTimer, startTimer } from './remote/start-timer.ts'
export { createEmbeddedSource, createRemoteSource } from './sources/source.ts'
export { addSourceMetrics, sourceMetricHelp } from './sources/source-metrics.ts'
export { createTwoSourceSubgraph, type TwoSourceSubgraph } from './sources/two-source-subgraph.ts'
