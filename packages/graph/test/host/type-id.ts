/** Keys of `id_of_type`, the function that a module exports so that the host can write headers of its classes. */
export const typeId = {
  string: 0,
  arrayBuffer: 1,
  uint8Array: 6,
  arrayUint8Array: 14,
  arrayEthereumValue: 15,
  arrayStoreValue: 16,
  arrayEventParam: 19,
  arrayTypedMapEntryStringStoreValue: 21,
  eventParam: 23,
  ethereumTransaction: 24,
  ethereumBlock: 25,
  wrappedBool: 28,
  ethereumValue: 30,
  storeValue: 31,
  ethereumEvent: 33,
  typedMapEntryStringStoreValue: 34,
  typedMapStringStoreValue: 36,
  transactionReceipt: 1000,
  log: 1001,
  arrayH256: 1002,
  arrayLog: 1003,
} as const

export type TypeId = (typeof typeId)[keyof typeof typeId]
