import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Component } from './list-components.ts'
import { run, toolPath, toolsFolder } from './tools.ts'

export type Bill = {
  /** Directory of the release. */
  readonly target: string
  /** Name of the package or image that the bill of materials describes. */
  readonly name: string
  readonly version: string
  readonly epochSeconds: number
  /** What it contains of other authors. */
  readonly components: readonly Component[]
  readonly kind?: 'container'
  /** Images that it contains files of. */
  readonly images?: readonly { readonly name: string; readonly tag: string; readonly digest: string }[]
}

/** Writes a bill of materials into the directory of a release. */
export function writeBill({ target, components, ...bill }: Bill): void {
  const described = components.map(({ licenseText: _, ...component }) => component)
  const input = JSON.stringify({ ...bill, components: described })
  const text = run([process.execPath, toolPath('format-sbom.mjs')], { cwd: toolsFolder, input })
  writeFileSync(join(target, `${bill.name}-${bill.version}.cdx.json`), text)
}
