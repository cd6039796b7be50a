import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { BuildOptions, Metafile, Plugin } from 'esbuild'

export type PageSource = {
  /** Directory with `main.tsx`, `styles/main.css`, `index.html` and perhaps `start.ts`, which runs before the first paint. */
  readonly source: string
  /** URL path of the page's assets. */
  readonly base: string
  /** Directory of the built page. */
  readonly outdir: string
  readonly plugins?: readonly Plugin[]
}

const icon = fileURLToPath(new URL('../src/icon.svg', import.meta.url))

const common = {
  // Chunks are named by the paths of their sources, relative to this directory.
  absWorkingDir: fileURLToPath(new URL('../../../', import.meta.url)),
  entryNames: '[name]-[hash]',
  loader: { '.svg': 'copy' },
  bundle: true,
  target: 'es2022',
  minify: true,
  legalComments: 'none',
  conditions: ['src'],
  define: { 'process.env.NODE_ENV': '"production"' },
  jsx: 'automatic',
  jsxImportSource: 'preact',
  metafile: true,
  logLevel: 'warning',
} as const satisfies BuildOptions

export type BuiltPage = {
  /** Compressed size of what the first view loads. */
  readonly firstLoadBytes: number
  /** Files of the page with the sources that are in them. */
  readonly outputs: Metafile['outputs']
}

/** Bundles a page and compresses its files. */
export async function buildPage({ source, base, outdir, plugins = [] }: PageSource): Promise<BuiltPage> {
  // Imported here, because loading esbuild takes 10 times as long as checking that the page is up to date.
  const { build } = await import('esbuild')
  const { metafile } = await build({
    ...common,
    entryPoints: { portal: join(source, 'main.tsx'), style: join(source, 'styles/main.css'), icon },
    outdir: join(outdir, 'assets'),
    chunkNames: '[name]-[hash]',
    plugins: [...plugins],
    splitting: true,
    format: 'esm',
  })
  const start = join(source, 'start.ts')
  const { metafile: early } = existsSync(start)
    ? await build({ ...common, entryPoints: { start }, outdir: join(outdir, 'assets'), format: 'iife' })
    : { metafile: { inputs: {}, outputs: {} } }
  const names = { ...findNames(metafile), start: Object.keys(early.outputs).map((path) => basename(path)) }
  for (const name of names.unused) rmSync(join(outdir, 'assets', name))
  const text = readFileSync(join(source, 'index.html'), 'utf8')
    .replace('%SCRIPT%', `${base}/${names.script}`)
    .replace('%STYLE%', `${base}/${names.style}`)
    .replace('%ICON%', `${base}/${names.icon}`)
    .replace('%START%', names.start.map((name) => `<script src="${base}/${name}"></script>`).join(''))
    .replace('%CHUNKS%', listChunks(metafile, base))
    .replace('%PRELOADS%', names.chunks.map((name) => `<link rel="modulepreload" href="${base}/${name}" />`).join(''))
  writeFileSync(join(outdir, 'index.html'), text)
  const sizes = compress(outdir)
  const first = [
    'index.html',
    ...[names.script, names.style, names.icon, ...names.start, ...names.chunks].map((name) => `assets/${name}`),
  ]
  return {
    firstLoadBytes: first.reduce((sum, name) => sum + (sizes.get(name) as number), 0),
    outputs: { ...metafile.outputs, ...early.outputs },
  }
}

/** Returns the file names of the entries, of the chunks that the script imports statically, and of those that nothing imports. */
function findNames({ outputs }: Metafile) {
  const paths = Object.keys(outputs)
  const find = (pattern: RegExp) => paths.find((path) => pattern.test(basename(path))) as string
  const [script, style, icon] = [find(/^portal-\w+\.js$/), find(/^style-\w+\.css$/), find(/^icon-\w+\.svg$/)]
  const used = new Set([script, style, icon])
  // A set visits what is added to it meanwhile.
  for (const path of used) for (const chunk of outputs[path]?.imports ?? []) used.add(chunk.path)
  const chunks = outputs[script]?.imports.filter(({ kind }) => kind === 'import-statement') ?? []
  return {
    script: basename(script),
    style: basename(style),
    icon: basename(icon),
    chunks: chunks.map(({ path }) => basename(path)),
    unused: paths.filter((path) => !used.has(path)).map((path) => basename(path)),
  }
}

/** Returns what the page has to know to load a part of it later: its name, and its files that the first load does not have. */
function listChunks({ outputs }: Metafile, base: string): string {
  const filesOf = (entry: string): ReadonlySet<string> => {
    const files = new Set([entry])
    // A set visits what is added to it meanwhile.
    for (const path of files)
      for (const { path: next, kind } of outputs[path]?.imports ?? []) if (kind === 'import-statement') files.add(next)
    return files
  }
  const paths = Object.keys(outputs)
  const first = filesOf(paths.find((path) => /^portal-\w+\.js$/.test(basename(path))) as string)
  return paths
    .filter((path) => !first.has(path) && /\.tsx$/.test(outputs[path]?.entryPoint ?? ''))
    .map((path) => {
      const files = [...filesOf(path)].filter((file) => !first.has(file)).map((file) => `${base}/${basename(file)}`)
      const name = basename(outputs[path]?.entryPoint as string, '.tsx')
      return `<meta name="chunk:${name}" content="${files.join(' ')}" />`
    })
    .join('')
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
