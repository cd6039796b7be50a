// Lets a program see one instant and no randomness.
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

const instant = Date.UTC(2026, 0, 1)
const zeros = (view) => view.fill(0)

globalThis.Date = class extends Date {
  constructor(...values) {
    super(...(values.length === 0 ? [instant] : values))
  }

  static now() {
    return instant
  }
}
performance.now = () => 0
globalThis.crypto.getRandomValues = zeros
crypto.randomFillSync = zeros
syncBuiltinESMExports()
