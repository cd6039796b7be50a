import type { BlockLogs, Log } from '@tallystick/subgraph'
import { bigIntToBytes } from './big-int-bytes.ts'
import type { EventArgument } from './decode-log.ts'
import { bytesOfHex, writeEthereumValue } from './ethereum-value.ts'
import type { Heap } from './heap.ts'
import { typeId } from './type-id.ts'

export type Trigger = {
  readonly block: BlockLogs['block']
  readonly log: Log
  readonly params: readonly EventArgument[]
  /** Logs of the transaction, if the handler asks for the receipt. */
  readonly receipt: readonly Log[] | undefined
  readonly transactionIndex: number
}

/** Writes the `ethereum.Event` of a trigger, in the layout of API version 0.0.7 and later. */
export function writeEvent(heap: Heap, trigger: Trigger): number {
  const { log, params, receipt } = trigger
  const uint = (value: number) => heap.newBytes(bigIntToBytes(BigInt(value)))
  const written = params.map(({ parameter, value }) =>
    heap.newRecord(typeId.eventParam, [
      heap.newString(parameter.name ?? ''),
      writeEthereumValue(heap, parameter, value),
    ]),
  )
  return heap.newRecord(typeId.ethereumEvent, [
    heap.newBytes(bytesOfHex(log.address)),
    uint(log.logIndex),
    // graph-node passes the index in the block here too.
    uint(log.logIndex),
    0,
    writeBlock(heap, trigger),
    writeTransaction(heap, trigger),
    heap.newArray(typeId.arrayEventParam, written),
    receipt ? writeReceipt(heap, trigger, receipt) : 0,
  ])
}

const word = new Uint8Array(32)
const account = new Uint8Array(20)
const bloom = new Uint8Array(256)

function writeBlock(heap: Heap, { block }: Trigger): number {
  const uint = (value: number) => heap.newBytes(bigIntToBytes(BigInt(value)))
  // Values of no interest share their objects.
  const [anyWord, none] = [heap.newBytes(word), uint(0)]
  return heap.newRecord(typeId.ethereumBlock, [
    heap.newBytes(bytesOfHex(block.hash)),
    heap.newBytes(bytesOfHex(block.parentHash)),
    anyWord,
    heap.newBytes(account),
    anyWord,
    anyWord,
    anyWord,
    uint(block.number),
    none,
    none,
    uint(block.timestamp),
    none,
    none,
    0,
    0,
  ])
}

function writeTransaction(heap: Heap, { log, transactionIndex }: Trigger): number {
  const uint = (value: number) => heap.newBytes(bigIntToBytes(BigInt(value)))
  const none = uint(0)
  return heap.newRecord(typeId.ethereumTransaction, [
    heap.newBytes(bytesOfHex(log.transactionHash)),
    uint(transactionIndex),
    heap.newBytes(account),
    0,
    none,
    none,
    none,
    heap.newBytes(new Uint8Array()),
    none,
  ])
}

function writeReceipt(heap: Heap, trigger: Trigger, logs: readonly Log[]): number {
  const { log, block, transactionIndex } = trigger
  const uint = (value: number) => heap.newBytes(bigIntToBytes(BigInt(value)))
  return heap.newRecord(typeId.transactionReceipt, [
    heap.newBytes(bytesOfHex(log.transactionHash)),
    uint(transactionIndex),
    heap.newBytes(bytesOfHex(block.hash)),
    uint(block.number),
    uint(0),
    uint(0),
    0,
    heap.newArray(
      typeId.arrayLog,
      logs.map((one) => writeLog(heap, trigger, one)),
    ),
    uint(1),
    0,
    heap.newBytes(bloom),
  ])
}

function writeLog(heap: Heap, { block, transactionIndex }: Trigger, log: Log): number {
  const uint = (value: number) => heap.newBytes(bigIntToBytes(BigInt(value)))
  const topics = log.topics.map((topic) => heap.newBytes(bytesOfHex(topic)))
  return heap.newRecord(typeId.log, [
    heap.newBytes(bytesOfHex(log.address)),
    heap.newArray(typeId.arrayH256, topics),
    heap.newBytes(bytesOfHex(log.data)),
    heap.newBytes(bytesOfHex(block.hash)),
    uint(block.number),
    heap.newBytes(bytesOfHex(log.transactionHash)),
    uint(transactionIndex),
    uint(log.logIndex),
    0,
    0,
    heap.newBlob(typeId.wrappedBool, Uint8Array.of(0)),
  ])
}
