import type { CurvePreviewReport } from '@tallystick/core/admin/curve-preview'
import type { ChainCurves, CurvePoints, CurveView, ProposalView } from '@tallystick/core/admin/curve-report'
import { useState } from 'preact/hooks'
import type { AdminApi } from './admin-api.ts'
import { CurvePreview } from './curve-preview.tsx'
import { ActionError } from './dialog.tsx'
import { parsePoints } from './format.ts'
import { useAction } from './use-action.ts'

type SetResult = { readonly curve?: CurveView; readonly proposal?: ProposalView }
type Previewed = {
  readonly request: { readonly points: CurvePoints; readonly chainId: number | null }
  readonly preview: CurvePreviewReport
}

/** Renders the form for a new curve. It can only be set after a preview, and for the boundary of that preview. */
export function CurveForm({
  api,
  canChange,
  chains,
  nameOf,
  onDone,
}: {
  readonly api: AdminApi
  readonly canChange: boolean
  readonly chains: readonly ChainCurves[]
  readonly nameOf: (chainId: number | null) => string
  readonly onDone: (result: SetResult) => void
}) {
  const [chainId, setChainId] = useState<number | null>(null)
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({})
  const [previewed, setPreviewed] = useState<Previewed>()
  const tenors = tenorsOf(chains, chainId)
  const texts = Object.fromEntries(tenors.map((tenor) => [tenor, typed[tenor] ?? suggest(chains, { chainId, tenor })]))
  const preview = useAction<void>(async () => {
    setPreviewed(undefined)
    const parsed = parsePoints(texts)
    if ('faults' in parsed) throw new Error(`${parsed.faults.join('; ')}.`)
    const request = { points: parsed.points, chainId }
    setPreviewed({ request, preview: await api.post<CurvePreviewReport>('/curve/preview', request) })
  })
  const store = useAction<boolean>(async (confirm) => {
    if (!previewed) return
    const { effectiveFrom } = previewed.preview
    const result = await api.post<SetResult>('/curve', { ...previewed.request, confirm, effectiveFrom })
    setPreviewed(undefined)
    setTyped({})
    onDone(result)
  })
  const change = (work: () => void) => {
    work()
    setPreviewed(undefined)
    preview.clear()
    store.clear()
  }
  return (
    <section class="card" aria-labelledby="curve-form-heading">
      <h2 id="curve-form-heading">{canChange ? 'Set a curve' : 'Try a curve'}</h2>
      <form
        class="curve-form"
        onSubmit={(event) => {
          event.preventDefault()
          store.clear()
          void preview.run()
        }}
      >
        <ChainSelect
          chainId={chainId}
          chains={chains}
          nameOf={nameOf}
          onChange={(id) =>
            change(() => {
              setChainId(id)
              setTyped({})
            })
          }
        />
        <fieldset class="coupon-fields">
          <legend class="sr-only">Coupons in basis points</legend>
          {tenors.map((tenor) => (
            <div key={tenor} class="field">
              <label for={`coupon-${tenor}`}>{tenor} days, bps</label>
              <input
                id={`coupon-${tenor}`}
                inputMode="numeric"
                autocomplete="off"
                value={texts[tenor]}
                onInput={({ currentTarget: { value } }) => change(() => setTyped({ ...typed, [tenor]: value }))}
              />
            </div>
          ))}
        </fieldset>
        {chainId === null ? null : <p class="hint">An empty field leaves the tenor out.</p>}
        <ActionError action={preview} />
        <div>
          <button type="submit" class="primary" disabled={preview.isRunning}>
            {preview.isRunning ? 'Checking…' : 'Preview'}
          </button>
        </div>
      </form>
      {previewed ? <CurvePreview preview={previewed.preview} store={canChange ? store : undefined} /> : null}
    </section>
  )
}

function ChainSelect({
  chainId,
  chains,
  nameOf,
  onChange,
}: {
  readonly chainId: number | null
  readonly chains: readonly ChainCurves[]
  readonly nameOf: (chainId: number | null) => string
  readonly onChange: (chainId: number | null) => void
}) {
  if (chains.length < 2) return null
  return (
    <div class="field">
      <label for="curve-chain">For</label>
      <select
        id="curve-chain"
        value={String(chainId ?? '')}
        onChange={({ currentTarget: { value } }) => onChange(value === '' ? null : Number(value))}
      >
        {[null, ...chains.map((chain) => chain.chainId)].map((id) => (
          <option key={id} value={String(id ?? '')}>
            {nameOf(id)}
          </option>
        ))}
      </select>
    </div>
  )
}

function tenorsOf(chains: readonly ChainCurves[], chainId: number | null): readonly number[] {
  const tenors = chains
    .filter((chain) => chainId === null || chain.chainId === chainId)
    .flatMap((chain) => chain.tenors)
  return [...new Set(tenors)].toSorted((a, b) => a - b)
}

/** Returns the coupon that would be in force without a new curve. */
function suggest(
  chains: readonly ChainCurves[],
  { chainId, tenor }: { readonly chainId: number | null; readonly tenor: number },
): string {
  const own = chains.filter((chain) => chainId === null || chain.chainId === chainId)
  const bps = own.map(({ next }) => next.curve?.points[tenor]).find((found) => found !== undefined)
  return bps === undefined ? '' : String(bps)
}
