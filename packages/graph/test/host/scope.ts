import type { BlockLogs } from '@tallystick/subgraph'
import type { Hex } from 'viem'
import type { EntityStore } from './entity-store.ts'
import type { Heap } from './heap.ts'
import type { DataSource } from './manifest.ts'
import type { WasmFunction } from './web-assembly.ts'

/** `eth_call` at the block of the trigger. Returns undefined if it reverts. */
export type EthCall = (call: { readonly to: string; readonly data: string; readonly block: number }) => Hex | undefined

/** Whether an account has code at the block of the trigger. */
export type HasCode = (account: string, block: number) => boolean

/** State that the functions of the host use: that of the handler that runs now. */
export type Scope = {
  readonly store: EntityStore
  readonly ethCall: EthCall
  readonly hasCode: HasCode
  readonly log: (level: number, message: string) => void
  /** Memory of the present instance. */
  heap: Heap
  dataSource: DataSource
  block: BlockLogs['block']
}

/** Functions of the host by name. Their arguments and results are addresses. */
export type HostFunctions = Readonly<Record<string, WasmFunction>>
