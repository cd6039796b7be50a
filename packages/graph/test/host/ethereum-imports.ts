import {
  type AbiFunction,
  decodeAbiParameters,
  encodeAbiParameters,
  encodeFunctionData,
  parseAbiParameters,
} from 'viem'
import { bytesOfHex, readEthereumValue, writeEthereumValue } from './ethereum-value.ts'
import { MappingError } from './mapping-error.ts'
import type { HostFunctions, Scope } from './scope.ts'
import { typeId } from './type-id.ts'

/** Creates the functions that read contracts, and those that encode and decode. */
export function ethereumImports(scope: Scope): HostFunctions {
  const findFunction = (contract: string, signature: string): AbiFunction => {
    const abi = scope.dataSource.abis.get(contract)
    const found = abi?.find((item): item is AbiFunction => signatureOf(item as AbiFunction) === signature)
    if (!found) throw new MappingError(`The data source has no function ${contract}.${signature}`)
    return found
  }
  return {
    'ethereum.call': (call) => {
      const field = (index: number) => scope.heap.readField(call!, index)
      const found = findFunction(scope.heap.readString(field(0)), scope.heap.readString(field(3)))
      const to = `0x${Buffer.from(scope.heap.readBytes(field(1))).toString('hex')}`
      const args = scope.heap.readArray(field(4)).map((value) => readEthereumValue(scope.heap, value))
      const answer = scope.ethCall({ to, data: encodeFunctionData({ abi: [found], args }), block: scope.block.number })
      if (answer === undefined) return 0
      const values: readonly unknown[] = decodeAbiParameters(found.outputs, answer)
      const written = found.outputs.map((output, index) => writeEthereumValue(scope.heap, output, values[index]))
      return scope.heap.newArray(typeId.arrayEthereumValue, written)
    },
    'ethereum.hasCode': (address) => {
      const account = `0x${Buffer.from(scope.heap.readBytes(address!)).toString('hex')}`
      return scope.heap.newBlob(typeId.wrappedBool, Uint8Array.of(scope.hasCode(account, scope.block.number) ? 1 : 0))
    },
    'ethereum.encode': (value) => {
      const read = readEthereumValue(scope.heap, value!)
      const type = typeof read === 'bigint' ? 'uint256' : typeof read === 'boolean' ? 'bool' : 'address'
      return scope.heap.newBytes(bytesOfHex(encodeAbiParameters([{ type }], [read as never])))
    },
    'ethereum.decode': (types, data) => {
      const parameters = parseAbiParameters(scope.heap.readString(types!)) as readonly [{ readonly type: string }]
      try {
        const bytes = `0x${Buffer.from(scope.heap.readBytes(data!)).toString('hex')}` as const
        const [value] = decodeAbiParameters(parameters, bytes) as readonly unknown[]
        return writeEthereumValue(scope.heap, parameters[0], value)
      } catch {
        return 0
      }
    },
  }
}

/** Returns the signature of a function as a mapping has it: `name(inputs):(outputs)`. */
function signatureOf({ type, name, inputs, outputs }: AbiFunction): string | undefined {
  if (type !== 'function') return undefined
  const types = (parameters: readonly { readonly type: string }[]) => parameters.map((one) => one.type).join(',')
  return `${name}(${types(inputs)}):(${types(outputs)})`
}
