import type { BuildOptions } from 'esbuild'

/** Options of esbuild for a program that Node runs. Needs the builds of our packages. */
export const nodeProgram: BuildOptions
