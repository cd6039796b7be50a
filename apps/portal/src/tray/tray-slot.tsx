import { useLoaded } from '@tallystick/ui'
import { loadChunk } from '../reach/load-chunk.ts'
import { useSent } from '../sent/sent-store.ts'
import type { TrayProps } from './tray.tsx'

/** Renders what this browser sent, on every view. Its code loads with the first transaction. */
export function TraySlot(props: TrayProps) {
  const isNeeded = useSent(props.sent).length > 0
  const { value } = useLoaded(isNeeded, (signal) => loadChunk('tray', () => import('./tray.tsx'), signal))
  if (!value) return null
  const List = value.Tray
  return <List {...props} />
}
