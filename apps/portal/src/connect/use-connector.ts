import { useEffect, useState } from 'preact/hooks'
import type { Connector, ConnectorState } from './connector.ts'

/** Returns the wallets of the browser and the connected one. */
export function useConnector(connector: Connector): ConnectorState {
  const [state, setState] = useState(connector.get)
  useEffect(() => {
    setState(connector.get())
    return connector.subscribe(() => setState(connector.get()))
  }, [connector])
  return state
}
