import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { root } from '../../../test/set-up/start-sandbox.ts'

// Like cmd.exe of Windows, it takes each command from the PATH. npm calls it with -c and a line.
const shell = `#!/usr/bin/env node
const [program, ...args] = process.argv[3].split(' ').map((word) => word.replace(/^'(.*)'$/, '$1'))
const { status } = require('node:child_process').spawnSync(program, args, { stdio: 'inherit' })
process.exit(status ?? 127)
`

test('behavior: npm start works with a shell that has no exec', () => {
  const directory = mkdtempSync(join(tmpdir(), 'shell-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const path = join(directory, 'shell.cjs')
  writeFileSync(path, shell)
  chmodSync(path, 0o755)
  const argv = ['start', '--silent', '--ignore-scripts', '--script-shell', path, '--', '--help']
  expect(execFileSync('npm', argv, { cwd: root, encoding: 'utf8' })).toContain('Usage: npm start -- [options]')
})
