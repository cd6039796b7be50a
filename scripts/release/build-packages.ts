import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { assembleProgram } from './assemble-program.ts'
import { describePackages } from './list-components.ts'
import { programs } from './programs.ts'
import { installTools, run } from './tools.ts'
import { writeBill } from './write-bill.ts'

// Packs the command, the sandbox and the SDK of a built tree, each with its bill of materials: build-packages.ts <directory>
// <time of the commit>. A release runs it in a clean clone, so that nothing else is in the packages.

const root = fileURLToPath(new URL('../../', import.meta.url))
const [to = 'release', epoch = '0'] = process.argv.slice(2)
const target = resolve(to)
const { version } = readManifest('package.json')
const bill = { target, version, epochSeconds: Number(epoch) }
const work = mkdtempSync(join(tmpdir(), 'tallystick-packages-'))
mkdirSync(target, { recursive: true })
await installTools()
try {
  for (const [name, program] of Object.entries(programs)) {
    const directory = join(work, name)
    const components = await assembleProgram(program, { root, target: directory })
    run(['npm', 'pack', '--silent', '--pack-destination', target], { cwd: directory })
    writeBill({ ...bill, name: name === 'tallystick' ? name : `tallystick-${name}`, components })
  }
} finally {
  rmSync(work, { recursive: true, force: true })
}
run(['npm', 'run', '--silent', 'pack:client', '--', '--to', target], { cwd: root })
const { dependencies = {} } = readManifest('packages/client/package.json')
const needed = Object.keys(dependencies).map((name) => `node_modules/${name}`)
writeBill({ ...bill, name: 'tallystick-client', components: describePackages(root, needed) })

function readManifest(path: string) {
  return JSON.parse(readFileSync(join(root, path), 'utf8')) as {
    readonly version: string
    readonly dependencies?: Readonly<Record<string, string>>
  }
}
