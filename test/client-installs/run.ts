import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { projects } from './projects.ts'

// `npm run test:client-installs [-- <name> …]`: installs the packed SDK and its peers from the registry into new projects, as an
// integrator does, and builds them. It takes minutes and downloads Next, so that it is not part of `npm test`.

const root = fileURLToPath(new URL('../../', import.meta.url))
const wanted = process.argv.slice(2)
const home = mkdtempSync(join(tmpdir(), 'tallystick-installs-'))
const failures: string[] = []
try {
  const pack = ['run', '--silent', 'pack:client', '--', '--to', home]
  const tarball = execFileSync('npm', pack, { cwd: root, encoding: 'utf8' }).trim()
  for (const project of projects) {
    if (wanted.length > 0 && !wanted.includes(project.name)) continue
    const directory = join(home, project.name)
    for (const [path, text] of Object.entries(project.files)) {
      mkdirSync(dirname(join(directory, path)), { recursive: true })
      writeFileSync(join(directory, path), text)
    }
    const startedAt = performance.now()
    try {
      const install = ['install', '--no-audit', '--no-fund', '--loglevel=error', tarball, ...project.packages]
      execFileSync('npm', install, { cwd: directory, stdio: ['ignore', 'ignore', 'inherit'] })
      for (const [command, ...args] of project.commands) {
        execFileSync('npx', ['--no-install', command as string, ...args], { cwd: directory, stdio: 'inherit' })
      }
      console.log(`${project.name}: passed in ${Math.round((performance.now() - startedAt) / 1000)} s`)
    } catch (error) {
      failures.push(`${project.name}: ${(error as Error).message}`)
    }
  }
} finally {
  rmSync(home, { recursive: true, force: true })
}
for (const failure of failures) console.error(failure)
if (failures.length > 0) process.exitCode = 1
