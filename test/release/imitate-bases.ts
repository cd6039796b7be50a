import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { arch } from 'node:process'
import { findNpm } from './stranger.ts'

type Architecture = 'amd64' | 'arm64'

const architectures: readonly Architecture[] = ['amd64', 'arm64']
const host: Architecture = arch === 'x64' ? 'amd64' : 'arm64'
const manifestType = 'application/vnd.oci.image.manifest.v1+json'
const indexType = 'application/vnd.oci.image.index.v1+json'
const certificates = '/etc/ssl/certs/ca-certificates.crt'

/**
 * Writes images like those that the Dockerfile names, from the files of this machine and Node's packages on the registry. Those of
 * the other platform have what the build copies from them, and no libraries.
 * Returns the images that replace them, by the reference in the Dockerfile.
 */
export function imitateBases(dockerfile: string, directory: string): Readonly<Record<string, string>> {
  const [, node = '', version = ''] = /^FROM (node:([\d.]+)-\S+) /m.exec(dockerfile) ?? []
  const [, base = ''] = /^FROM (gcr\.io\/\S+) /m.exec(dockerfile) ?? []
  const write = (name: string, fill: (root: string, architecture: Architecture) => void, config: object) =>
    writeImage(
      join(directory, name),
      architectures.map((architecture) => {
        const root = join(directory, `${name}-${architecture}`)
        fill(root, architecture)
        return { architecture, root, config }
      }),
    )
  return {
    [node]: write('node', (root, architecture) => fillNode(root, architecture, version), {
      Env: ['PATH=/usr/local/bin:/usr/bin:/bin'],
    }),
    [base]: write(
      'base',
      (root, architecture) => fillBase(root, architecture, join(directory, `node-${host}/usr/local/bin/node`)),
      { User: '65532', Env: [`SSL_CERT_FILE=${certificates}`], WorkingDir: '/home/nonroot' },
    ),
  }
}

/** Node for every platform. On this machine's, also npm and the programs that the build calls. */
function fillNode(root: string, architecture: Architecture, version: string): void {
  const name = `node-linux-${architecture === 'amd64' ? 'x64' : architecture}`
  mkdirSync(join(root, 'usr/local/bin'), { recursive: true })
  const archive = execFileSync('npm', ['pack', '--silent', `${name}@${version}`, '--pack-destination', root], {
    encoding: 'utf8',
  })
  execFileSync('tar', [
    '-xzf',
    join(root, archive.trim()),
    '-C',
    join(root, 'usr/local'),
    '--strip-components=1',
    'package/bin/node',
  ])
  rmSync(join(root, archive.trim()))
  if (architecture !== host) return
  cpSync(findNpm(), join(root, 'usr/local/lib/node_modules/npm'), { recursive: true })
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(root, 'usr/local/bin/npm'))
  for (const program of ['/bin/sh', '/usr/bin/env', '/usr/bin/install', '/bin/cp', '/bin/rm']) copy(program, root)
  for (const library of listLibraries(['/bin/sh', '/bin/cp', join(root, 'usr/local/bin/node')])) copy(library, root)
  copy(certificates, root)
  writeText(root, 'etc/passwd', 'root:x:0:0:root:/root:/bin/sh\n')
  for (const folder of ['root', 'tmp']) mkdirSync(join(root, folder))
}

/** C and C++ libraries, certificates and a user, as in distroless. */
function fillBase(root: string, architecture: Architecture, node: string): void {
  writeText(
    root,
    'etc/passwd',
    'root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin\n',
  )
  writeText(root, 'etc/group', 'root:x:0:\nnonroot:x:65532:\n')
  for (const folder of ['home/nonroot', 'tmp', 'var/lib']) mkdirSync(join(root, folder), { recursive: true })
  chmodSync(join(root, 'tmp'), 0o1777)
  copy(certificates, root)
  if (architecture === host) for (const library of listLibraries([node])) copy(library, root)
}

/** Returns the files that the loader needs for programs, by their paths on this machine. */
function listLibraries(programs: readonly string[]): readonly string[] {
  const found = programs.flatMap(
    (program) => execFileSync('ldd', [program], { encoding: 'utf8' }).match(/\/\S+(?= \()/g) ?? [],
  )
  return [...new Set(found)]
}

function copy(path: string, root: string): void {
  const target = join(root, path)
  mkdirSync(dirname(target), { recursive: true })
  // Follows symbolic links.
  copyFileSync(path, target)
}

function writeText(root: string, path: string, text: string): void {
  const target = join(root, path)
  mkdirSync(dirname(target), { recursive: true })
  writeFileSync(target, text)
}

type Platform = { readonly architecture: Architecture; readonly root: string; readonly config: object }

/** Writes an image with one layer for each platform in the OCI layout. Returns its reference. */
function writeImage(layout: string, platforms: readonly Platform[]): string {
  const blobs = join(layout, 'blobs/sha256')
  mkdirSync(blobs, { recursive: true })
  const add = (mediaType: string, bytes: Buffer) => {
    const hash = createHash('sha256').update(bytes).digest('hex')
    writeFileSync(join(blobs, hash), bytes)
    return { mediaType: `application/vnd.oci.image.${mediaType}`, digest: `sha256:${hash}`, size: bytes.length }
  }
  const addJson = (mediaType: string, value: object) => add(mediaType, Buffer.from(JSON.stringify(value)))
  const manifests = platforms.map(({ architecture, root, config }) => {
    const tar = join(layout, 'layer.tar')
    execFileSync('tar', ['--create', '--file', tar, '--owner', '0', '--group', '0', '--directory', root, '.'])
    const layer = add('layer.v1.tar', readFileSync(tar))
    rmSync(tar)
    const platform = { architecture, os: 'linux' }
    const rootfs = { type: 'layers', diff_ids: [layer.digest] }
    const described = addJson('config.v1+json', { ...platform, config, rootfs, history: [{ created_by: 'imitation' }] })
    const manifest = { schemaVersion: 2, mediaType: manifestType, config: described, layers: [layer] }
    return { ...addJson('manifest.v1+json', manifest), platform }
  })
  const index = addJson('index.v1+json', { schemaVersion: 2, mediaType: indexType, manifests })
  const annotations = { 'org.opencontainers.image.ref.name': 'imitation' }
  writeText(layout, 'index.json', JSON.stringify({ schemaVersion: 2, manifests: [{ ...index, annotations }] }))
  writeText(layout, 'oci-layout', JSON.stringify({ imageLayoutVersion: '1.0.0' }))
  return `oci:${layout}:imitation`
}
