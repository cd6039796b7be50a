import { type Access, accessOf, type ViewName } from './access/access.ts'
import type { Place } from './access/place.ts'
import type { Session } from './access/session.ts'
import { AuditView } from './audit/audit-view.tsx'
import { SignInsPage } from './audit/sign-ins-page.tsx'
import { CurveView } from './curve/curve-view.tsx'
import { KeyPage } from './keys/key-page.tsx'
import { KeysView } from './keys/keys-view.tsx'
import { StatusView } from './status/status-view.tsx'
import { DeliveryPage } from './webhooks/delivery-page.tsx'
import { HookPage } from './webhooks/hook-page.tsx'
import { HooksView } from './webhooks/hooks-view.tsx'

type ViewProps = Session & { readonly name: ViewName; readonly access: Access; readonly place: Place }

/** Renders the view, or the page below it, that the URL names. */
export function View({ api, whoami, name, access, place: { path, query } }: ViewProps) {
  const common = { api, canChange: access === 'change' }
  const [id, event] = path
  switch (name) {
    case 'status':
      return <StatusView api={api} />
    case 'curve':
      return <CurveView {...common} />
    case 'keys': {
      const own = {
        ...common,
        isSandbox: whoami.isSandbox === true,
        canAudit: accessOf('audit', whoami.roles) !== 'none',
      }
      return id === undefined ? <KeysView {...own} /> : <KeyPage {...own} id={id} />
    }
    case 'webhooks':
      if (id === undefined) return <HooksView {...common} />
      return event === undefined ? (
        <HookPage {...common} id={id} canAudit={accessOf('audit', whoami.roles) !== 'none'} />
      ) : (
        <DeliveryPage {...common} hookId={id} event={event} />
      )
    case 'audit':
      return id === 'sign-ins' ? <SignInsPage api={api} /> : <AuditView api={api} query={query} />
  }
}

/** Returns the heading of a place. */
export function titleOf(name: ViewName, { path: [id, event] }: Place): string {
  const titles: Readonly<Record<ViewName, string>> = {
    status: 'Status',
    curve: 'Curve',
    keys: id === undefined ? 'Keys' : 'Key',
    webhooks: id === undefined ? 'Webhooks' : event === undefined ? 'Webhook' : 'Delivery',
    audit: id === 'sign-ins' ? 'Failed sign-ins' : 'Audit',
  }
  return titles[name]
}
