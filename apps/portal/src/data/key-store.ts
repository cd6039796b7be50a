import { createQuietStorage, type QuietStorage, quietStorage } from '@tallystick/ui'

/** Where a key is kept: until the tab is closed, or on this device. */
export type KeyPlace = 'tab' | 'device'

const name = 'tallystick.key'

/** Store of the key of this browser: at most one, in one place. */
export const keyStore = createKeyStore({ tab: createQuietStorage(() => sessionStorage), device: quietStorage })

function createKeyStore(places: Readonly<Record<KeyPlace, QuietStorage>>) {
  const forget = () => {
    for (const place of Object.values(places)) place.removeItem(name)
  }
  return {
    read: (): string | undefined => places.tab.getItem(name) ?? places.device.getItem(name) ?? undefined,
    keep: (apiKey: string, place: KeyPlace) => {
      forget()
      places[place].setItem(name, apiKey)
    },
    forget,
    isOnDevice: () => places.device.getItem(name) !== null,
  }
}
