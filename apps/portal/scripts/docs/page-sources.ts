/** A page of `/docs` and the file that it is made from. */
export type PageSource = {
  readonly segment: string
  /** Path in the repository. */
  readonly file: string
  /** Name in lists of pages, if it is not the title. */
  readonly name?: string
}

const guide = (segment: string, name?: string): PageSource => ({
  ...{ segment, file: `apps/portal/src/docs/guides/${segment}.md` },
  ...(name !== undefined && { name }),
})

const operating = (segment: string, name: string): PageSource => ({
  segment,
  file: `docs/operating/${segment}.md`,
  name,
})

const doc = (segment: string, name: string, file = segment): PageSource => ({ segment, file: `docs/${file}.md`, name })

/** Pages made from Markdown, in the order in which a reader needs them. Architecture and decisions are for developers and not here. */
export const pageSources: Readonly<Record<'Start' | 'Integrate' | 'Operate' | 'Reference', readonly PageSource[]>> = {
  Start: [
    guide('first-note'),
    guide('testnet', 'The sandbox as testnet'),
    guide('boundary'),
    guide('note-limits'),
    doc('income', 'How income is calculated'),
  ],
  Integrate: [
    guide('lend'),
    guide('verify'),
    guide('verify-python', 'Verify in Python'),
    guide('verify-go', 'Verify in Go'),
    guide('positions'),
    guide('webhooks'),
    guide('webhooks-python', 'Webhooks in Python'),
    guide('webhooks-go', 'Webhooks in Go'),
    guide('going-live'),
    { segment: 'sdk', file: 'packages/client/README.md', name: 'The SDK' },
    doc('public-log', 'The public log', 'log'),
    doc('monitor', 'Monitor the log'),
    doc('sandbox', 'Sandbox options'),
  ],
  Operate: [
    doc('operating', 'Where to begin'),
    operating('installing', 'Install'),
    doc('configuration', 'Configuration'),
    operating('tls', 'TLS'),
    operating('connections', 'Connections'),
    operating('safe', 'Lending with a Safe'),
    operating('visitors', 'Visitors of the page'),
    operating('replicas', 'Replicas'),
    operating('signer', 'The signer'),
    operating('signer-rotation', 'Change the signer'),
    operating('signer-journal', 'Signer journal'),
    doc('curve', 'Coupons'),
    operating('api-keys', 'API keys'),
    operating('admin-access', 'Admin tokens, audit'),
    operating('database', 'Database, backup'),
    operating('alerts', 'Alerts'),
    operating('incidents', 'Respond to alerts'),
    operating('refusals', 'Notes not signed'),
    doc('hooks', 'Webhooks', 'webhooks'),
    doc('deploying', 'Deployment files'),
    doc('releasing', 'Releases'),
    doc('upgrading', 'Upgrade'),
    doc('scale', 'Scale'),
    doc('the-graph', 'The Graph'),
    doc('command-line', 'Command line'),
    doc('admin', 'Admin listener, console'),
  ],
  Reference: [doc('api', 'The API in prose'), doc('errors', 'Errors')],
}
