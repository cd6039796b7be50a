import type { KeyReport, QuotaUse } from '@tallystick/core'
import { Button, Pill } from '@tallystick/ui'
import type { ComponentChildren } from 'preact'
import { formatPlace } from '../access/place.ts'
import { useData } from '../api/admin-api.ts'
import { DataState } from '../parts/data-state.tsx'
import { Facts } from '../parts/facts.tsx'
import { formatCount, formatIso } from '../parts/format.ts'
import { KeyUse } from './key-use.tsx'
import { keyTones } from './keys-table.tsx'
import type { KeysViewProps } from './keys-view.tsx'
import { useKeyChanges } from './use-key-changes.tsx'

const intervalMs = 10_000

/** Renders one key: its facts, its use by hour, and the dialogs that change it. */
export function KeyPage({ api, canChange, canAudit, isSandbox, id }: KeysViewProps & { readonly id: string }) {
  const data = useData<KeyReport>(api, `/keys/${encodeURIComponent(id)}`, intervalMs)
  const changes = useKeyChanges({ api, isSandbox, onChanged: data.refresh })
  return (
    <div class="stack">
      <a class="back" href={formatPlace('keys')}>
        All keys
      </a>
      {changes.results}
      <DataState data={data}>
        {(report) => {
          const { key } = report
          const act = (label: string, kind: 'edit' | 'rotate' | 'revoke') => (
            <Button
              class={kind === 'revoke' ? 'quiet small bad' : 'quiet small'}
              label={label}
              onClick={() => changes.open({ kind, key })}
            />
          )
          return (
            <div class="stack">
              <section class="card" aria-labelledby="key-heading">
                <div class="row apart">
                  <h2 id="key-heading" class="page-name anywhere">
                    {key.name}
                  </h2>
                  {canChange && key.status === 'active' ? (
                    <span class="row-actions flex wrap">
                      {act('Edit', 'edit')}
                      {act('Rotate', 'rotate')}
                      {act('Revoke', 'revoke')}
                    </span>
                  ) : null}
                </div>
                <Facts facts={listFacts(report)} />
                {canAudit ? (
                  <p class="page-link">
                    <a href={formatPlace('audit', { query: { subject: key.id } })}>Changes of this key</a>
                  </p>
                ) : null}
              </section>
              <KeyUse report={report} />
            </div>
          )
        }}
      </DataState>
      {changes.dialogs}
    </div>
  )
}

function listFacts({ key, quotas, byScope }: KeyReport): readonly (readonly [string, ComponentChildren])[] {
  const { rpm, burst, allow, scopes, expiresAt, revokedAt, lastUsedAt } = key
  // The last use is stored once a minute, later than the requests.
  const isUsed = Object.values(byScope).some((counts) => counts.some((count) => count > 0))
  return [
    ['Status', <Pill tone={keyTones[key.status]}>{key.status}</Pill>],
    ['Id', <code class="anywhere">{key.id}</code>],
    ['Prefix', <code>{`tsk_${key.kind}_`}</code>],
    ['May use', scopes.map((scope) => `/${scope}`).join(', ')],
    ['Per minute', rpm === null ? 'no limit' : formatCount(rpm)],
    ...(burst === null ? [] : [['Per second', `${formatCount(burst)} on a replica`] as const]),
    ...listQuota('Today, UTC', quotas.day),
    ...listQuota('This month, UTC', quotas.month),
    ['Used from', allow === null ? 'any address' : allow.join(', ')],
    ['Created', formatIso(key.createdAt)],
    revokedAt === null ? ['Expires', expiresAt ? formatIso(expiresAt) : 'never'] : ['Revoked', formatIso(revokedAt)],
    ['Last used', lastUsedAt ? formatIso(lastUsedAt) : isUsed ? 'in the last minute' : 'never'],
  ]
}

function listQuota(name: string, quota: QuotaUse | null): readonly (readonly [string, string])[] {
  return quota === null ? [] : [[name, `${formatCount(quota.used)} of ${formatCount(quota.allowed)}`]]
}
