/** Compiled module. */
export type WasmModule = object
export type WasmMemory = { readonly buffer: ArrayBuffer }
export type WasmFunction = (...values: number[]) => number | undefined
export type WasmImports = Readonly<Record<string, Readonly<Record<string, WasmFunction>>>>
type Descriptor = { readonly name: string; readonly kind: string }

/** Parts of the WebAssembly API that the host uses. Their types would come with those of a browser. */
export const webAssembly: {
  readonly Module: {
    new (code: Uint8Array): WasmModule
    imports(module: WasmModule): readonly (Descriptor & { readonly module: string })[]
    exports(module: WasmModule): readonly Descriptor[]
  }
  readonly Instance: new (module: WasmModule, imports: WasmImports) => { readonly exports: object }
  readonly RuntimeError: new () => Error
} = (globalThis as unknown as { readonly WebAssembly: typeof webAssembly }).WebAssembly
