import solc from 'solc'

export type SolidityOutput = {
  readonly errors?: readonly { readonly formattedMessage: string }[]
  readonly contracts?: Readonly<Record<string, Readonly<Record<string, SolidityContract>>>>
}

type SolidityContract = {
  readonly abi: readonly unknown[]
  readonly evm: { readonly bytecode: { readonly object: string } }
}

type ReadImport = (path: string) => { readonly contents: string } | { readonly error: string }

/** Calls the compiler's standard JSON interface. The solc package has no types for it. */
export function compileStandard(input: object, readImport: ReadImport): SolidityOutput {
  return JSON.parse(solc.compile(JSON.stringify(input), { import: readImport }))
}
