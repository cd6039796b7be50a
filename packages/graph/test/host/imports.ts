import { ethereumImports } from './ethereum-imports.ts'
import { bytesOfHex } from './ethereum-value.ts'
import { MappingError } from './mapping-error.ts'
import { numberImports } from './number-imports.ts'
import { readContext } from './read-context.ts'
import type { HostFunctions, Scope } from './scope.ts'
import { readEntity, writeEntity } from './store-value.ts'
import { typeId } from './type-id.ts'
import { type WasmFunction, type WasmImports, type WasmModule, webAssembly } from './web-assembly.ts'

/** Creates the imports of a module. As in graph-node, a function is found by its name in whatever namespace. */
export function createImports(module: WasmModule, scope: Scope): WasmImports {
  const functions: HostFunctions = {
    ...numberImports(scope),
    ...ethereumImports(scope),
    ...storeImports(scope),
    ...dataSourceImports(scope),
    abort: (message, file, line, column) => {
      const text = message ? scope.heap.readString(message) : 'no message'
      const at = file ? `${scope.heap.readString(file)}:${line}:${column}` : 'an unknown location'
      throw new MappingError(`Mapping aborted at ${at}: ${text}`)
    },
    'log.log': (level, message) => {
      const text = scope.heap.readString(message!)
      scope.log(level!, text)
      if (level === 0) throw new MappingError(`Critical error logged in mapping: ${text}`)
      return undefined
    },
  }
  const imports: Record<string, Record<string, WasmFunction>> = {}
  for (const { module: namespace, name } of webAssembly.Module.imports(module)) {
    imports[namespace] ??= {}
    imports[namespace][name] = functions[name] ?? (() => refuse(name))
  }
  return imports
}

function storeImports(scope: Scope): HostFunctions {
  const text = (address: number) => scope.heap.readString(address)
  return {
    'store.get': (name, id) => {
      const found = scope.store.get(text(name!), text(id!))
      return found ? writeEntity(scope.heap, found) : 0
    },
    'store.get_in_block': (name, id) => {
      const found = scope.store.getInBlock(text(name!), text(id!))
      return found ? writeEntity(scope.heap, found) : 0
    },
    'store.loadRelated': (name, id, field) => {
      const found = scope.store.loadRelated(text(name!), text(id!), text(field!))
      return scope.heap.newArray(
        typeId.arrayTypedMapEntryStringStoreValue,
        found.map((entity) => writeEntity(scope.heap, entity)),
      )
    },
    'store.set': (name, id, data) => {
      scope.store.set(text(name!), text(id!), readEntity(scope.heap, data!))
      return undefined
    },
    'store.remove': (name, id) => {
      scope.store.remove(text(name!), text(id!))
      return undefined
    },
  }
}

function dataSourceImports(scope: Scope): HostFunctions {
  return {
    'dataSource.address': () => scope.heap.newBytes(bytesOfHex(scope.dataSource.address)),
    'dataSource.network': () => scope.heap.newString(scope.dataSource.network),
    'dataSource.context': () => writeEntity(scope.heap, readContext(scope.dataSource.context)),
  }
}

function refuse(name: string): never {
  throw new Error(`The mapping calls ${name}, which the test host does not provide`)
}
