import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { buildPage } from '../packages/ui/scripts/build-page.ts'
import { packagesOf } from './packages-of.ts'
import { hashSources, readStamp, type Stamp } from './portal-stamp.mjs'

export type BuildOutcome = {
  /** False if the existing build is from the same sources. */
  readonly isNew: boolean
  /** Compressed size of the page without the explorer. */
  readonly firstLoadBytes: number
}

/** Builds page and console into `packages/service/portal`, from where the service serves them, unless that build is up to date. */
export async function buildPortal(root: string): Promise<BuildOutcome> {
  const target = join(root, 'packages/service/portal')
  const key = hashSources(root)
  const known = readStamp(target)
  if (known?.key === key) return { isNew: false, firstLoadBytes: known.firstLoadBytes }
  mkdirSync(dirname(target), { recursive: true })
  // Built in another directory and then renamed, so that a service never starts with half a page.
  const made = mkdtempSync(`${target}-`)
  try {
    const { firstLoadBytes, packages } = await buildPages(root, made)
    // mkdtemp makes the directory private, but the service may run as another user.
    chmodSync(made, 0o755)
    writeFileSync(join(made, 'build.json'), JSON.stringify({ key, firstLoadBytes, packages } satisfies Stamp))
    rmSync(target, { recursive: true, force: true })
    renameSync(made, target)
    return { isNew: true, firstLoadBytes }
  } catch (error) {
    rmSync(made, { recursive: true, force: true })
    throw error
  }
}

/** The console is beside the page's files. The service serves it on the admin listener only. */
async function buildPages(root: string, outdir: string): Promise<Omit<Stamp, 'key'>> {
  const source = (app: string) => join(root, 'apps', app, 'src')
  const console = await buildPage({
    source: source('console'),
    base: '/console/assets',
    outdir: join(outdir, 'console'),
  })
  // Imported here, because it loads the renderer of Markdown, which a page that is up to date does not need.
  const { createDocsPlugin } = await import('../apps/portal/scripts/docs/docs-plugin.ts')
  const plugins = [createDocsPlugin(root)]
  const page = await buildPage({ source: source('portal'), base: '/assets', outdir, plugins })
  const packages = packagesOf({ outputs: { ...console.outputs, ...page.outputs } })
  return { firstLoadBytes: page.firstLoadBytes, packages }
}
