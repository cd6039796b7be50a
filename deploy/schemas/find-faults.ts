import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Ajv, type ErrorObject } from 'ajv'
import { kinds } from './sources.ts'

// The YAML parser of the OpenAPI tools. It has no types.
const { CORE_SCHEMA, YAML11_SCHEMA, loadAll } = createRequire(import.meta.url)('js-yaml') as {
  readonly CORE_SCHEMA: object
  readonly YAML11_SCHEMA: object
  readonly loadAll: (text: string, options: { readonly schema: object }) => unknown[]
}
const generated = new URL('generated/', import.meta.url)
const ajv = new Ajv({ allErrors: true, strict: false, validateFormats: false })
for (const name of readdirSync(generated)) ajv.addSchema(JSON.parse(readFileSync(new URL(name, generated), 'utf8')))

/** Schemas in `generated`, or `manifest`: the one of the kind that a document of Kubernetes names. */
export type SchemaName =
  | 'compose'
  | 'issue-config'
  | 'issue-form'
  | 'manifest'
  | 'prometheus'
  | 'prometheus-rules'
  | 'workflow'

/** Returns what is wrong in the documents of a YAML file, as path and message. */
export function findFaults(name: SchemaName, text: string): readonly string[] {
  // Compose and kubectl read YAML 1.1, with merged mappings, octal numbers and `yes` as a boolean.
  const schema = name === 'compose' || name === 'manifest' ? YAML11_SCHEMA : CORE_SCHEMA
  return loadAll(text, { schema }).flatMap((document) => {
    const reference = name === 'manifest' ? referToKind(document) : `${name}.json`
    if (reference === undefined) return [`no schema for ${describeKind(document)}`]
    return ajv.validate(reference, document) ? [] : (ajv.errors ?? []).map(describeError)
  })
}

function referToKind(document: unknown): string | undefined {
  const kind = describeKind(document)
  if (kind === 'kustomize.config.k8s.io/v1beta1 Kustomization') return 'kustomization.json'
  if (kind === 'monitoring.coreos.com/v1 ServiceMonitor') return 'service-monitor.json'
  return Object.hasOwn(kinds, kind) ? `kubernetes.json#/definitions/${kinds[kind as keyof typeof kinds]}` : undefined
}

function describeKind(document: unknown): string {
  const { apiVersion, kind } = (document ?? {}) as { readonly apiVersion?: unknown; readonly kind?: unknown }
  return `${apiVersion} ${kind}`
}

function describeError({ instancePath, message, params }: ErrorObject): string {
  const property = params['additionalProperty'] ?? params['unevaluatedProperty']
  return `${instancePath} ${message}${property === undefined ? '' : ` (${property})`}`
}
