import type { ChainCurves, CurvePoints, CurvePreviewReport, CurveView, ProposalView } from '@tallystick/core'
import { Button, Select, useAction, withoutReload } from '@tallystick/ui'
import { useState } from 'preact/hooks'
import type { AdminApi } from '../api/admin-api.ts'
import { ActionError } from '../parts/dialog.tsx'
import { parsePoints } from '../parts/format.ts'
import { CurvePreview } from './curve-preview.tsx'

type SetResult = { readonly curve?: CurveView; readonly proposal?: ProposalView }
type Previewed = {
  /** What the form showed. */
  readonly form: string
  readonly request: { readonly points: CurvePoints; readonly chainId: number | null }
  readonly preview: CurvePreviewReport
}

type CurveFormProps = {
  readonly api: AdminApi
  readonly canChange: boolean
  readonly chains: readonly ChainCurves[]
  readonly nameOf: (chainId: number | null) => string
  readonly onDone: (result: SetResult) => void
}

/** Renders the form for a new curve. Only a curve that was previewed, and whose preview still holds, can be set. */
export function CurveForm({ api, canChange, chains, nameOf, onDone }: CurveFormProps) {
  const [chainId, setChainId] = useState<number | null>(null)
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({})
  const [previewed, setPreviewed] = useState<Previewed>()
  const tenors = tenorsOf(chains, chainId)
  const texts = Object.fromEntries(tenors.map((tenor) => [tenor, typed[tenor] ?? suggest(chains, { chainId, tenor })]))
  // Fields that nobody has typed in follow the curve in force, so the form can change without an input.
  const form = JSON.stringify([chainId, texts])
  const shown = previewed?.form === form ? previewed : undefined
  const preview = useAction<void>(async (_, signal) => {
    setPreviewed(undefined)
    const request = { points: parsePoints(texts), chainId }
    const report = await api.post<CurvePreviewReport>('/curve/preview', request, signal)
    if (!signal.aborted) setPreviewed({ form, request, preview: report })
  })
  const store = useAction<boolean>(async (confirm) => {
    if (!shown) return
    const result = await api.post<SetResult>('/curve', { ...shown.request, confirm, preview: shown.preview.digest })
    setPreviewed(undefined)
    setTyped({})
    onDone(result)
  })
  const change = (id: number | null, next: typeof typed) => {
    setChainId(id)
    setTyped(next)
    setPreviewed(undefined)
    preview.clear()
    store.clear()
  }
  const submit = () => {
    store.clear()
    void preview.run()
  }
  return (
    <section class="card" aria-labelledby="curve-form-heading">
      <h2 id="curve-form-heading">{canChange ? 'Set a curve' : 'Try a curve'}</h2>
      <form class="curve-form grid" onSubmit={withoutReload(submit)}>
        <ChainSelect
          chainId={chainId}
          chains={chains}
          nameOf={nameOf}
          isDisabled={store.isRunning}
          onChange={(id) => change(id, {})}
        />
        <CouponFields
          texts={texts}
          isDisabled={store.isRunning}
          onChange={(tenor, text) => change(chainId, { ...typed, [tenor]: text })}
        />
        {chainId === null ? null : <p class="hint">An empty field leaves the tenor out.</p>}
        <ActionError action={preview} />
        <div>
          <Button
            type="submit"
            class="primary"
            label={preview.isRunning ? 'Checking…' : 'Preview'}
            disabled={preview.isRunning || store.isRunning}
          />
        </div>
      </form>
      {shown ? (
        <CurvePreview key={shown.preview.digest} preview={shown.preview} store={canChange ? store : undefined} />
      ) : null}
    </section>
  )
}

type ChainSelectProps = Pick<CurveFormProps, 'chains' | 'nameOf'> & {
  readonly chainId: number | null
  readonly isDisabled: boolean
  readonly onChange: (chainId: number | null) => void
}

function ChainSelect({ chainId, chains, nameOf, isDisabled, onChange }: ChainSelectProps) {
  if (chains.length < 2) return null
  return (
    <div class="field">
      <label for="curve-chain">For</label>
      <Select
        id="curve-chain"
        value={chainId ?? ''}
        disabled={isDisabled}
        options={[null, ...chains.map((chain) => chain.chainId)].map((id) => [id ?? '', nameOf(id)])}
        onChoose={(value) => onChange(value === '' ? null : Number(value))}
      />
    </div>
  )
}

type CouponFieldsProps = {
  /** Texts of the fields by tenor in days. */
  readonly texts: Readonly<Record<string, string>>
  readonly isDisabled: boolean
  readonly onChange: (tenor: string, text: string) => void
}

function CouponFields({ texts, isDisabled, onChange }: CouponFieldsProps) {
  return (
    <fieldset class="coupon-fields grid" disabled={isDisabled}>
      <legend class="sr-only">Coupons in basis points</legend>
      {Object.entries(texts).map(([tenor, text]) => (
        <div key={tenor} class="field">
          <label for={`coupon-${tenor}`}>{tenor} days, bps</label>
          <input
            id={`coupon-${tenor}`}
            inputMode="numeric"
            autocomplete="off"
            value={text}
            onInput={({ currentTarget: { value } }) => onChange(tenor, value)}
          />
        </div>
      ))}
    </fieldset>
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
