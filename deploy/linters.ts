import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createCertificateAuthority } from '@tallystick/workbench/certificate-authority'

export type Linter = {
  readonly name: string
  /** Program that must be on the PATH. */
  readonly program: string
  /** Takes less than a second on an idle machine. */
  readonly isQuick: boolean
  /** Returns the arguments. `directory` is empty and removed afterwards. */
  readonly argv: (directory: string) => readonly string[]
}

export type LintResult = {
  readonly linter: Linter
  /** Undefined if it had no finding. */
  readonly problem?: string | undefined
  readonly isMissing: boolean
}

const deploy = fileURLToPath(new URL('.', import.meta.url))
const read = (path: string) => readFileSync(join(deploy, path), 'utf8')
const list = (folder: string, end: string) =>
  readdirSync(join(deploy, folder))
    .filter((name) => name.endsWith(end))
    .map((name) => join(deploy, folder, name))

const alerts = join(deploy, 'prometheus/alerts.yml')
const compose = join(deploy, 'compose/compose.yml')
const dockerfile = join(deploy, 'docker/Dockerfile')
const caddyfile = join(deploy, 'caddy/Caddyfile')
const yamlRules =
  '{extends: default, rules: {line-length: {max: 160}, document-start: disable, braces: {max-spaces-inside: 1}, octal-values: disable, comments: {min-spaces-from-content: 1}}}'

/** Linters of the files in this directory. Each one fails on a finding. */
export const linters: readonly Linter[] = [
  quick('alert rules', 'promtool', () => ['check', 'rules', alerts]),
  slow('unit tests of the alerts', 'promtool', () => ['test', 'rules', join(deploy, 'prometheus/alerts.test.yml')]),
  quick('prometheus.yml', 'promtool', () => [
    'check',
    'config',
    '--syntax-only',
    join(deploy, 'prometheus/prometheus.yml'),
  ]),
  quick('queries of the dashboards', 'promtool', (directory) => ['check', 'rules', writeQueries(directory)]),
  quick('nginx.conf', 'nginx', (directory) => ['-t', '-q', '-e', 'stderr', '-c', writeNginx(directory)]),
  quick('Caddyfile', 'caddy', () => ['validate', '--adapter', 'caddyfile', '--config', caddyfile]),
  quick('kustomization', 'kubectl', () => ['kustomize', join(deploy, 'kubernetes')]),
  slow('Kubernetes schemas', 'kubeconform', () => ['-strict', ...manifests()]),
  slow('compose.yml', 'docker-compose', () => ['-f', compose, 'config', '-q']),
  slow('compose.yml (schema and rules)', 'dclint', () => ['--quiet', compose]),
  slow('Dockerfile (hadolint)', 'hadolint', () => [dockerfile]),
  slow('Dockerfile', 'dockerfile-utils', () => ['lint', dockerfile]),
  quick('shell scripts', 'shellcheck', () => [...list('docker', '.sh'), ...list('../.ci', '')]),
  slow('workflows', 'actionlint', () => list('../.github/workflows', '.yml')),
  slow('YAML', 'yamllint', () => ['-d', yamlRules, deploy]),
  slow('systemd units', 'systemd-analyze', () => ['verify', ...list('systemd', '.service')]),
]

/** Runs a linter. One whose program is missing has no problem. */
export function lint(linter: Linter): LintResult {
  const directory = mkdtempSync(join(tmpdir(), 'tallystick-lint-'))
  try {
    const { status, error, stdout, stderr } = spawnSync(linter.program, linter.argv(directory), {
      encoding: 'utf8',
      // Debian has nginx in a directory that only root's PATH has.
      env: { ...process.env, ...composeEnv, PATH: `${process.env['PATH']}:/usr/sbin:/sbin` },
    })
    if (error && 'code' in error && error.code === 'ENOENT') return { linter, isMissing: true }
    const problem = status === 0 ? undefined : `${error?.message ?? ''}${stdout}${stderr}`.trim()
    return { linter, isMissing: false, problem: problem === '' ? `exit code ${status}` : problem }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

const composeEnv = { POSTGRES_PASSWORD: 'x', LOG_URL: 'https://api.example.com', LOG_KEY: 'x' }

function quick(name: string, program: string, argv: Linter['argv']): Linter {
  return { name, program, argv, isQuick: true }
}

function slow(name: string, program: string, argv: Linter['argv']): Linter {
  return { name, program, argv, isQuick: false }
}

function manifests(): string[] {
  // Kustomize's own file, and kinds of an operator, have no schema there.
  return list('kubernetes', '.yaml').filter((path) => !/kustomization|service-monitors/.test(path))
}

/** Writes nginx.conf with addresses and certificates that exist on this machine. */
function writeNginx(directory: string): string {
  const { cert, key } = createCertificateAuthority().issue(['localhost'])
  writeFileSync(join(directory, 'fullchain.pem'), cert)
  writeFileSync(join(directory, 'privkey.pem'), key)
  const path = join(directory, 'nginx.conf')
  const text = read('nginx/nginx.conf')
    .replaceAll(/service-\d:/g, '127.0.0.1:')
    .replaceAll(' /tmp/', ` ${directory}/`)
    // The output of a linter is a socket, which nginx cannot open.
    .replaceAll('/dev/stdout', `${directory}/access.log`)
    .replaceAll('/etc/nginx/tls/', `${directory}/`)
  writeFileSync(path, text)
  return path
}

type Panel = { readonly targets?: readonly { readonly expr: string }[] | undefined }

/** Returns the queries of all dashboards, without Grafana's variables. */
export function readQueries(): string[] {
  return list('grafana/dashboards', '.json').flatMap((path) => {
    const { panels } = JSON.parse(readFileSync(path, 'utf8')) as { readonly panels: readonly Panel[] }
    const queries = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
    return queries.map((query) => query.replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.*'))
  })
}

/** Writes the queries as recording rules, which promtool can parse. */
function writeQueries(directory: string): string {
  const path = join(directory, 'queries.yml')
  const rules = readQueries().map((expr, index) => ({ record: `dashboard:query${index}`, expr }))
  // JSON is YAML.
  writeFileSync(path, JSON.stringify({ groups: [{ name: 'dashboards', rules }] }))
  return path
}
