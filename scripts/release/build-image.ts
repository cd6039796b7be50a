import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildImage } from './image.ts'
import { listComponents } from './list-components.ts'
import { programs } from './programs.ts'
import { writeBill } from './write-bill.ts'

// Builds the image of a release with its bill of materials: build-image.ts <directory> <time of the commit>. A release runs it in
// the clean clone in which build-packages.ts has packed the command.

const root = fileURLToPath(new URL('../../', import.meta.url))
const [to = 'release', epoch = '0'] = process.argv.slice(2)
const target = resolve(to)
const epochSeconds = Number(epoch)
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly version: string }
const dockerfile = readFileSync(join(root, 'deploy/docker/Dockerfile'), 'utf8')
const bases = [...dockerfile.matchAll(/^FROM (?:--platform=\S+ )?(\S+):(\S+)@(\S+) AS /gm)].map(
  ([, name = '', tag = '', digest = '']) => [digest, { name, tag, digest }] as const,
)
const images = [...new Map(bases).values()]
buildImage({
  root,
  archive: join(target, `tallystick-${version}-image.tar`),
  name: `tallystick:${version}`,
  epochSeconds,
})
const components = await listComponents(root, programs.tallystick)
writeBill({ target, name: 'tallystick-image', kind: 'container', version, epochSeconds, components, images })
