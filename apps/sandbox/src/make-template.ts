import { findPgliteTemplate } from '@tallystick/workbench/pglite-template'
import { databaseTemplate } from './database/database-template.ts'

// The build runs this, so that the first start of a sandbox finds the empty database.
await findPgliteTemplate(databaseTemplate)
