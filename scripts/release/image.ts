import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { arch, getuid } from 'node:process'
import { run } from './tools.ts'

/** Platforms of a released image, by the names of the OCI. */
const architectures = ['amd64', 'arm64'] as const
// Not the directory of temporary files, which may be in memory: a build needs 3 GB.
const workFolder = '/var/tmp'

export type ImageBuild = {
  /** Directory that the ignore file of the Dockerfile filters. */
  readonly root: string
  /** File to write: an archive in the OCI layout. */
  readonly archive: string
  /** Name of the image in the archive, such as `tallystick:0.3.0`. */
  readonly name: string
  /** Time of all files and of the image. */
  readonly epochSeconds: number
  /** Images to use in place of those that the Dockerfile names. */
  readonly bases?: Readonly<Record<string, string>>
  /** Settings of npm that the build needs to reach the registry. They are not part of the image. */
  readonly npmrc?: string | undefined
}

/**
 * Builds the image for all platforms with buildah, in a storage of its own: images and layers of earlier builds cannot be part of
 * it. The same files give the same bytes.
 */
export function buildImage(image: ImageBuild): void {
  const { root, name, epochSeconds, bases = {}, npmrc } = image
  const work = mkdtempSync(join(workFolder, 'tallystick-image-'))
  const storage = ['--root', join(work, 'storage'), '--runroot', join(work, 'run'), '--storage-driver', 'overlay']
  // Not its warnings: the OCI format has no health check.
  const buildah = (...args: string[]) =>
    run(['buildah', '--log-level', 'error', ...storage, ...args], { cwd: root, variables: { TMPDIR: work } })
  const dockerfile = join(work, 'Dockerfile')
  writeFileSync(dockerfile, replaceAll(readFileSync(join(root, 'deploy/docker/Dockerfile'), 'utf8'), bases))
  const cache = run(['npm', 'config', 'get', 'cache'], { cwd: root }).trim()
  mkdirSync(cache, { recursive: true })
  const options = [
    ...['--quiet', '--isolation', 'chroot', '--manifest', name, '--timestamp', String(epochSeconds)],
    // The stage that builds is the same for all platforms: with layers, it runs once.
    ...['--layers', '--build-arg', `BUILDPLATFORM=linux/${arch === 'x64' ? 'amd64' : arch}`],
    ...['--file', dockerfile, '--ignorefile', 'deploy/docker/Dockerfile.dockerignore'],
    ...['--volume', `${cache}:/root/.npm`, ...(npmrc === undefined ? [] : ['--secret', `id=npmrc,src=${npmrc}`])],
  ]
  try {
    for (const architecture of architectures) buildah('build', ...options, '--platform', `linux/${architecture}`, root)
    const layout = join(work, 'layout')
    buildah('manifest', 'push', '--quiet', '--all', name, `oci:${layout}:${name}`)
    writeArchive(layout, image)
  } finally {
    // Unmounts the layers.
    buildah('rmi', '--all', '--force')
    removeStorage(work)
  }
}

function replaceAll(text: string, others: Readonly<Record<string, string>>): string {
  return Object.entries(others).reduce((changed, [from, to]) => changed.replaceAll(from, to), text)
}

/** Packs a layout so that the same files give the same bytes. Adds the name by which Docker knows the image. */
function writeArchive(layout: string, { archive, name, epochSeconds }: ImageBuild): void {
  const path = join(layout, 'index.json')
  const index = JSON.parse(readFileSync(path, 'utf8')) as { readonly manifests: readonly object[] }
  const annotations = {
    'io.containerd.image.name': `docker.io/library/${name}`,
    'org.opencontainers.image.ref.name': name.replace(/.*:/, ''),
  }
  const manifests = index.manifests.map((manifest) => ({ ...manifest, annotations }))
  writeFileSync(path, JSON.stringify({ ...index, manifests }))
  const owner = ['--owner', '0', '--group', '0', '--numeric-owner', '--mode', 'u=rwX,go=rX']
  const order = ['--sort', 'name', '--mtime', `@${epochSeconds}`, '--format', 'ustar']
  run(['tar', '--create', '--file', archive, ...owner, ...order, 'blobs', 'index.json', 'oci-layout'], { cwd: layout })
}

/** Without root, the files of a storage belong to other users of the same name space. */
function removeStorage(directory: string): void {
  const remove = ['rm', '-rf', directory] as const
  run(getuid?.() === 0 ? remove : ['buildah', 'unshare', ...remove], { cwd: '/' })
}
