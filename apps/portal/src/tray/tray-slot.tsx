import { useLoaded } from '@tallystick/ui'
import { useSent } from '../sent/sent-store.ts'
import type { TrayProps } from './tray.tsx'

/** Renders what this browser sent, on every view. Its code loads with the first transaction. */
export function TraySlot(props: TrayProps) {
  const isNeeded = useSent(props.sent).length > 0
  const { value: Tray } = useLoaded(isNeeded, async () => (await import('./tray.tsx')).Tray)
  return Tray ? <Tray {...props} /> : null
}
