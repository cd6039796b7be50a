import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, test } from 'vitest'

type Service = {
  readonly networks: object
  readonly volumes?: readonly string[]
  readonly secrets?: readonly string[]
  readonly depends_on?: object
}
type Compose = {
  readonly services: Readonly<Record<string, Service>>
  readonly networks: object
  readonly volumes: object
  readonly secrets: object
}
type Labels = Readonly<Record<string, string>>
type Document = {
  readonly kind: string
  readonly metadata: { readonly name: string; readonly labels?: Labels }
  // biome-ignore lint/suspicious/noExplicitAny: each kind has another one, which test/deploy-schemas.test.ts validates.
  readonly spec?: any
}

const { YAML11_SCHEMA, loadAll } = createRequire(import.meta.url)('js-yaml')
const deploy = new URL('../deploy/', import.meta.url)
const load = (path: string) => loadAll(readFileSync(new URL(path, deploy), 'utf8'), { schema: YAML11_SCHEMA })
/** Names in the short form, which is a list, or in the long form. */
const namesOf = (value: object = {}) => (Array.isArray(value) ? value : Object.keys(value)) as string[]

const documents: readonly Document[] = readdirSync(new URL('kubernetes/', deploy))
  .filter((name) => name.endsWith('.yaml') && name !== 'kustomization.yaml')
  .flatMap((name) => load(`kubernetes/${name}`))
const ofKind = (kind: string) => documents.filter((document) => document.kind === kind)
const podsOf = (labels: Labels) =>
  ofKind('StatefulSet').filter(({ spec }) => matches(spec.template.metadata.labels, labels))
const portsOf = (pods: readonly Document[]) =>
  pods.flatMap(({ spec }) => spec.template.spec.containers[0].ports.map(({ name }: { name: string }) => name))

function matches(labels: Labels = {}, selector: Labels): boolean {
  return Object.entries(selector).every(([name, value]) => labels[name] === value)
}

test('default: compose.yml declares every network, volume, secret and service that a service names', () => {
  const [{ services, ...declared }] = load('compose/compose.yml') as [Compose]
  const volumes = Object.values(services).flatMap((service) =>
    namesOf(service.volumes).map((mount) => mount.split(':')[0] ?? ''),
  )
  const used = {
    services: Object.values(services).flatMap((service) => namesOf(service.depends_on)),
    networks: Object.values(services).flatMap((service) => namesOf(service.networks)),
    volumes: volumes.filter((source) => !source.startsWith('.')),
    secrets: Object.values(services).flatMap((service) => namesOf(service.secrets)),
  }
  for (const [kind, names] of Object.entries(used)) {
    const known = namesOf({ ...declared, services }[kind as 'services'])
    expect(
      [...new Set(names)].filter((name) => !known.includes(name)),
      kind,
    ).toEqual([])
    expect(new Set(names).size, kind).toBeGreaterThan(2)
  }
})

test('default: .env.example has every variable that compose.yml needs', () => {
  const read = (path: string) => readFileSync(new URL(path, deploy), 'utf8')
  const needed = [...read('compose/compose.yml').matchAll(/\$\{(\w+)/g)].map(([, name]) => name)
  const given = [...read('compose/.env.example').matchAll(/^(\w+)=/gm)].map(([, name]) => name)
  expect(needed).toContain('POSTGRES_PASSWORD')
  expect(given).toEqual(expect.arrayContaining([...new Set(needed)]))
})

test('default: a Service selects pods that have its ports, and a StatefulSet names its Service', () => {
  const services = ofKind('Service')
  for (const { metadata, spec } of services) {
    const pods = podsOf(spec.selector)
    expect(pods, metadata.name).toHaveLength(1)
    for (const { targetPort } of spec.ports) expect(portsOf(pods), metadata.name).toContain(targetPort)
  }
  for (const { spec } of ofKind('StatefulSet')) {
    expect(services.map(({ metadata }) => metadata.name)).toContain(spec.serviceName)
    expect(matches(spec.template.metadata.labels, spec.selector.matchLabels)).toBe(true)
  }
})

test('default: the Ingress and each ServiceMonitor name a Service and one of its ports', () => {
  const services = ofKind('Service')
  const { service } = (ofKind('Ingress')[0] as Document).spec.rules[0].http.paths[0].backend
  const named = services.find(({ metadata }) => metadata.name === service.name)
  expect(named?.spec.ports).toContainEqual(expect.objectContaining({ name: service.port.name }))
  for (const { metadata, spec } of ofKind('ServiceMonitor')) {
    const found = services.filter(({ metadata: { labels } }) => matches(labels, spec.selector.matchLabels))
    expect(found, metadata.name).toHaveLength(1)
    for (const { port } of spec.endpoints) {
      expect(found[0]?.spec.ports, metadata.name).toContainEqual(expect.objectContaining({ name: port }))
    }
  }
})

test('default: a policy and the disruption budget select pods, and a policy opens ports that they have', () => {
  for (const { metadata, spec } of [...ofKind('NetworkPolicy'), ...ofKind('PodDisruptionBudget')]) {
    const pods = podsOf((spec.podSelector ?? spec.selector).matchLabels ?? {})
    expect(pods.length, metadata.name).toBeGreaterThan(0)
    const opened = (spec.ingress ?? []).flatMap(({ ports }: { ports: { port: string }[] }) =>
      ports.map(({ port }) => port),
    )
    for (const port of opened) expect(portsOf(pods), metadata.name).toContain(port)
  }
})
