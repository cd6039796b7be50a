import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { findFaults, type SchemaName } from '../deploy/schemas/find-faults.ts'

const root = new URL('../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')
const list = (folder: string) => readdirSync(new URL(folder, root)).map((name) => folder + name)

function getSchema(path: string): SchemaName {
  if (path.startsWith('deploy/compose/')) return 'compose'
  if (path.startsWith('deploy/kubernetes/')) return 'manifest'
  if (path.startsWith('deploy/prometheus/')) return path.endsWith('/alerts.yml') ? 'prometheus-rules' : 'prometheus'
  if (path.startsWith('.github/workflows/')) return 'workflow'
  return path.endsWith('/config.yml') ? 'issue-config' : 'issue-form'
}

const folders = ['deploy/compose/', 'deploy/kubernetes/', '.github/workflows/', '.github/ISSUE_TEMPLATE/']
const prometheus = 'deploy/prometheus/prometheus.yml'
const alerts = 'deploy/prometheus/alerts.yml'
const files = [...folders.flatMap(list).filter((path) => /\.ya?ml$/.test(path)), prometheus, alerts]

test.for(files)('default: the schema accepts %s', (path) => {
  expect(findFaults(getSchema(path), read(path))).toEqual([])
})

const compose = 'deploy/compose/compose.yml'
const statefulSet = 'deploy/kubernetes/stateful-set.yaml'
const ingress = 'deploy/kubernetes/ingress.yaml'
const services = 'deploy/kubernetes/services.yaml'
const policies = 'deploy/kubernetes/network-policies.yaml'
const budget = 'deploy/kubernetes/disruption-budget.yaml'
const kustomization = 'deploy/kubernetes/kustomization.yaml'
const monitors = 'deploy/kubernetes/service-monitors.yaml'
const ci = '.github/workflows/ci.yml'
const nightly = '.github/workflows/nightly.yml'
const release = '.github/workflows/release.yml'
const bug = '.github/ISSUE_TEMPLATE/bug.yml'
const issueConfig = '.github/ISSUE_TEMPLATE/config.yml'

// A text of a file, what is planted instead, and the fault that must be found.
test.for<readonly [string, string, string, string]>([
  [compose, 'hostname:', 'host_name:', '/services/service-1 must NOT have additional properties (host_name)'],
  [compose, 'cap_drop: [ALL]', 'cap_drop: ALL', '/services/service-1/cap_drop must be array'],
  [compose, 'networks:\n  # nginx', 'network:\n  # nginx', ' must NOT have additional properties (network)'],
  [
    statefulSet,
    'runAsUser: 65532',
    'runAsUser: nonroot',
    '/spec/template/spec/securityContext/runAsUser must be integer',
  ],
  [
    statefulSet,
    'runAsNonRoot: true',
    'runAsNonroot: true',
    '/spec/template/spec/securityContext must NOT have additional properties (runAsNonroot)',
  ],
  [
    statefulSet,
    'mountPath: /tmp',
    'mountpath: /tmp',
    "/spec/template/spec/containers/0/volumeMounts/3 must have required property 'mountPath'",
  ],
  [statefulSet, 'apps/v1', 'apps/v1beta2', 'no schema for apps/v1beta2 StatefulSet'],
  [ingress, 'pathType: Prefix', 'type: Prefix', "/spec/rules/0/http/paths/0 must have required property 'pathType'"],
  [ingress, 'networking.k8s.io/v1', 'extensions/v1beta1', 'no schema for extensions/v1beta1 Ingress'],
  [services, 'port: 80,', "port: '80',", '/spec/ports/0/port must be integer'],
  [policies, 'policyTypes: [Ingress, Egress]', 'policyTypes: Ingress', '/spec/policyTypes must be array'],
  [budget, 'minAvailable: 1', 'minAvailable: yes', '/spec/minAvailable must be integer,string'],
  [budget, 'kind: PodDisruptionBudget', 'kind: DisruptionBudget', 'no schema for policy/v1 DisruptionBudget'],
  [kustomization, 'newTag:', 'newTag: 1 #', '/images/0/newTag must be string'],
  [kustomization, 'resources:', 'resource:', ' must NOT have additional properties (resource)'],
  [monitors, 'interval: 15s', 'interval: 15', '/spec/endpoints/0/interval must be string'],
  [
    monitors,
    'authorization:',
    'authorisation:',
    '/spec/endpoints/0 must NOT have additional properties (authorisation)',
  ],
  [prometheus, 'rule_files:', 'rules_files:', ' must NOT have additional properties (rules_files)'],
  [prometheus, 'scrape_interval: 15s', 'scrape_interval: 15', '/global/scrape_interval must be string,null'],
  [alerts, 'for: 5m', 'for: 5', '/groups/0/rules/2/for must be string,null'],
  [alerts, 'annotations:', 'annotation:', '/groups/0/rules/0 must NOT have additional properties (annotation)'],
  [ci, 'timeout-minutes: 45', 'timeout: 45', '/jobs/check must NOT have additional properties (timeout)'],
  [ci, 'pull_request:', 'pull_requests:', '/on must NOT have additional properties (pull_requests)'],
  [ci, 'fail-fast: false', 'fail-fast: no', '/jobs/check/strategy/fail-fast must be boolean'],
  [nightly, 'issues: write', 'issue: write', '/jobs/report/permissions must NOT have additional properties (issue)'],
  [nightly, "- cron: '17 2 * * *'", "cron: '17 2 * * *'", '/on/schedule must be array'],
  [release, 'contents: write', 'contents: all', '/jobs/publish/permissions/contents must be equal to constant'],
  [bug, 'type: dropdown', 'type: select', '/body/3/type must be equal to one of the allowed values'],
  [bug, 'description: Something', 'summary: Something', ' must NOT have additional properties (summary)'],
  [
    issueConfig,
    'blank_issues_enabled: false',
    'blank_issues: false',
    ' must NOT have additional properties (blank_issues)',
  ],
])('error: %s: "%s" is not "%s"', ([path, text, planted, fault]) => {
  const original = read(path)
  expect(original).toContain(text)
  expect(findFaults(getSchema(path), original.replace(text, planted))).toContain(fault)
})
