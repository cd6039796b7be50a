import { useEffect, useState } from 'preact/hooks'

/** Returns the view that the URL names, such as `/console#keys`. */
export function useViewName(): string {
  const read = () => location.hash.slice(1)
  const [name, setName] = useState(read)
  useEffect(() => {
    const follow = () => setName(read())
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [])
  return name
}
