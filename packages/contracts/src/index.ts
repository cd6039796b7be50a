export { denylisterAbi, dollarTokenAbi, errorAbi, poolAbi, positionTokenAbi } from './abi.ts'
export { denylisterBytecode, dollarTokenBytecode, poolBytecode, positionTokenBytecode } from './generated/bytecode.ts'
export { eventTopics } from './generated/event-topics.ts'
export { sourcesHash } from './generated/sources-hash.ts'
