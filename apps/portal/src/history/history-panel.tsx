import { Button, download, Icon, Loading, Notice, type Polled } from '@tallystick/ui'
import type { ComponentChildren } from 'preact'
import { ErrorNotice } from '../parts/error-notice.tsx'

type HistoryPanelProps<Row> = {
  readonly title: string
  readonly loaded: Polled<readonly Row[]>
  readonly empty: { readonly title: string; readonly text: string }
  readonly file: { readonly name: string; readonly toCsv: (rows: readonly Row[]) => string }
  readonly onRetry: () => void
  readonly children: (rows: readonly Row[]) => ComponentChildren
}

/** Renders rows of history as a card, or their state: loading, failed or empty. */
export function HistoryPanel<Row>({ title, loaded, empty, file, onRetry, children }: HistoryPanelProps<Row>) {
  const { value, error } = loaded
  return (
    <div class="card history-panel">
      <div class="spread card-head middle">
        <h2>{title}</h2>
        {value && value.length > 0 ? (
          <button type="button" class="quiet" onClick={() => download(file.name, file.toCsv(value), 'text/csv')}>
            <Icon name="download" />
            CSV<span class="sr-only"> of {title.toLowerCase()}</span>
          </button>
        ) : null}
      </div>
      {error === undefined ? null : (
        <>
          <ErrorNotice error={error} />
          <Button label="Try again" onClick={onRetry} />
        </>
      )}
      {value === undefined && error === undefined ? (
        <Loading text={`Loading ${title.toLowerCase()}…`} height="40rem" />
      ) : null}
      {value?.length === 0 ? <Notice tone="calm" {...empty} /> : null}
      {value && value.length > 0 ? children(value) : null}
    </div>
  )
}
