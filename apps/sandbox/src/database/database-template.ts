import { createHash } from 'node:crypto'
import { apiMigrations, openServiceDatabase } from '@tallystick/service'
import type { PgliteTemplate } from '@tallystick/workbench/pglite-template'

/** Empty database of a new sandbox. Its migrations take seconds on the embedded engine. */
export const databaseTemplate: PgliteTemplate = {
  name: createHash('sha256').update(JSON.stringify(apiMigrations)).digest('hex').slice(0, 16),
  make: async (path) => {
    const database = await openServiceDatabase(`file:${path}`, () => undefined)
    await database.close()
  },
}
