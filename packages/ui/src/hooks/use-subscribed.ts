import { useEffect, useState } from 'preact/hooks'

/** Returns a value that changes outside of the component. `subscribe` returns a function that ends the subscription. */
export function useSubscribed<Value>(read: () => Value, subscribe: (listener: () => void) => () => void): Value {
  const [value, setValue] = useState(read)
  useEffect(() => {
    const onChange = () => setValue(read())
    // It may have changed before this effect ran.
    onChange()
    return subscribe(onChange)
  }, [subscribe])
  return value
}

/** Creates the listeners of a value that changes outside of components. */
export function createListeners() {
  const listeners = new Set<() => void>()
  return {
    subscribe: (listener: () => void) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    notify: () => {
      for (const listener of [...listeners]) listener()
    },
  }
}
