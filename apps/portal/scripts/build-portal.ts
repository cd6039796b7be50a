import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { Metafile } from 'esbuild'
import { hashSources, readStamp, type Stamp } from './portal-stamp.mjs'

export type BuildOutcome = {
  /** False if the existing build is from the same sources. */
  readonly isNew: boolean
  /** Compressed size of the page without the explorer. */
  readonly firstLoadBytes: number
}

/** Builds the page into `packages/service/portal`, from where the service serves it, unless that build is up to date. */
export async function buildPortal(root: string): Promise<BuildOutcome> {
  const target = join(root, 'packages/service/portal')
  const key = hashSources(root)
  const known = readStamp(target)
  if (known?.key === key) return { isNew: false, firstLoadBytes: known.firstLoadBytes }
  mkdirSync(dirname(target), { recursive: true })
  // Built in another directory and then renamed, so that a service never starts with half a page.
  const made = mkdtempSync(`${target}-`)
  try {
    const { firstLoadBytes } = await make(root, made)
    // mkdtemp makes the directory private, but the service may run as another user.
    chmodSync(made, 0o755)
    writeFileSync(join(made, 'build.json'), JSON.stringify({ key, firstLoadBytes } satisfies Stamp))
    rmSync(target, { recursive: true, force: true })
    renameSync(made, target)
    return { isNew: true, firstLoadBytes }
  } catch (error) {
    rmSync(made, { recursive: true, force: true })
    throw error
  }
}

/** A page: its entry, and where its files are served. */
type PageSource = {
  readonly script: string
  readonly style: string
  readonly html: string
  /** Path of the page's directory of assets. */
  readonly base: string
}

const page: PageSource = { script: 'main.tsx', style: 'styles/portal.css', html: 'index.html', base: '/assets' }
/** The operator's console. The service serves it on the admin listener only. */
const consolePage: PageSource = {
  script: 'console/main.tsx',
  style: 'styles/console.css',
  html: 'console/index.html',
  base: '/console/assets',
}

async function make(root: string, outdir: string): Promise<{ readonly firstLoadBytes: number }> {
  await makePage(root, { source: consolePage, outdir: join(outdir, 'console') })
  return makePage(root, { source: page, outdir })
}

async function makePage(
  root: string,
  { source: { script, style, html, base }, outdir }: { readonly source: PageSource; readonly outdir: string },
): Promise<{ readonly firstLoadBytes: number }> {
  // Imported here, because loading esbuild takes 10 times as long as checking that the page is up to date.
  const { build } = await import('esbuild')
  const source = join(root, 'apps/portal/src')
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { portal: join(source, script), style: join(source, style), icon: join(source, 'icon.svg') },
    outdir: join(outdir, 'assets'),
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    loader: { '.svg': 'copy', '.md': 'text' },
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'es2022',
    minify: true,
    legalComments: 'none',
    conditions: ['src'],
    define: { 'process.env.NODE_ENV': '"production"' },
    jsx: 'automatic',
    jsxImportSource: 'preact',
    metafile: true,
    logLevel: 'warning',
  })
  const names = findNames(metafile)
  const text = readFileSync(join(source, html), 'utf8')
    .replace('%SCRIPT%', `${base}/${names.script}`)
    .replace('%STYLE%', `${base}/${names.style}`)
    .replace('%ICON%', `${base}/${names.icon}`)
    .replace('%PRELOADS%', names.chunks.map((name) => `<link rel="modulepreload" href="${base}/${name}" />`).join(''))
  writeFileSync(join(outdir, 'index.html'), text)
  const sizes = compress(outdir)
  const first = [
    'index.html',
    ...[names.script, names.style, names.icon, ...names.chunks].map((name) => `assets/${name}`),
  ]
  return { firstLoadBytes: first.reduce((sum, name) => sum + (sizes.get(name) as number), 0) }
}

/** Returns the file names of the entries and of the chunks that the script imports statically. */
function findNames({ outputs }: Metafile) {
  const baseName = (path: string) => path.slice(path.lastIndexOf('/') + 1)
  const find = (pattern: RegExp) => Object.keys(outputs).find((path) => pattern.test(baseName(path))) as string
  const script = find(/^portal-\w+\.js$/)
  const chunks = outputs[script]?.imports.filter(({ kind }) => kind === 'import-statement') ?? []
  return {
    script: baseName(script),
    style: baseName(find(/^style-\w+\.css$/)),
    icon: baseName(find(/^icon-\w+\.svg$/)),
    chunks: chunks.map(({ path }) => baseName(path)),
  }
}

/** Compresses every file at the highest level. Returns the Brotli size of each. */
function compress(outdir: string): ReadonlyMap<string, number> {
  const names = ['index.html', ...readdirSync(join(outdir, 'assets')).map((name) => `assets/${name}`)]
  return new Map(
    names.map((name) => {
      const path = join(outdir, name)
      const body = readFileSync(path)
      const br = brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: body.length } })
      writeFileSync(`${path}.br`, br)
      writeFileSync(`${path}.gz`, gzipSync(body, { level: 9 }))
      return [name, br.length]
    }),
  )
}
